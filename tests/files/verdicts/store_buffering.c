// precise: SUCCESSFUL --threads 2
// Not under sequential consistency: one of the loads is after both stores.
#include <assert.h>
#include <pthread.h>

int x, y, first_read = 1, second_read = 1, first_is_done, second_is_done;

void *first(void *unused) {
    x = 1;
    first_read = y;
    first_is_done = 1;
    assert(!(first_is_done && second_is_done) || first_read || second_read);
    return 0;
}

void *second(void *unused) {
    y = 1;
    second_read = x;
    second_is_done = 1;
    assert(!(first_is_done && second_is_done) || first_read || second_read);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
