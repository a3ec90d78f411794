// precise: SUCCESSFUL --threads 2
// A relation between a shared variable and a local that the other thread's store keeps.
#include <assert.h>
#include <pthread.h>

int global;

void *first(void *unused) {
    global = 1;
    return 0;
}

void *second(void *unused) {
    int seen = global;
    assert(global >= seen);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
