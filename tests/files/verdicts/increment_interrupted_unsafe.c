// precise: FAILED --threads 2
// An increment is a load and a store; the other thread may store 0 between them and after.
#include <assert.h>
#include <pthread.h>

int x;

void *first(void *unused) {
    x++;
    assert(x != 0);
    return 0;
}

void *second(void *unused) {
    x = 0;
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
