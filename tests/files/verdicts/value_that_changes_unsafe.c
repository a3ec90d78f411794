// precise: FAILED --threads 2
// The store may come between the two loads.
#include <assert.h>
#include <pthread.h>

int global;

void *first(void *unused) {
    global = 1;
    return 0;
}

void *second(void *unused) {
    int seen = global;
    assert(global == seen);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
