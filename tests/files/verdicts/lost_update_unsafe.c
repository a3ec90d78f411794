// precise: FAILED --threads 2
// Both threads may load 0 and store 1.
#include <assert.h>
#include <pthread.h>

int x, first_is_done, second_is_done;

void *first(void *unused) {
    x = x + 1;
    first_is_done = 1;
    assert(!(first_is_done && second_is_done) || x == 2);
    return 0;
}

void *second(void *unused) {
    x = x + 1;
    second_is_done = 1;
    assert(!(first_is_done && second_is_done) || x == 2);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
