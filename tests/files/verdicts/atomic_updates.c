// precise: SUCCESSFUL --threads 2
// Atomic additions are not interrupted: no update is lost.
#include <assert.h>
#include <pthread.h>

int x, first_is_done, second_is_done;

void *first(void *unused) {
    __sync_fetch_and_add(&x, 1);
    first_is_done = 1;
    assert(!(first_is_done && second_is_done) || x == 2);
    return 0;
}

void *second(void *unused) {
    __sync_fetch_and_add(&x, 1);
    second_is_done = 1;
    assert(!(first_is_done && second_is_done) || x == 2);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
