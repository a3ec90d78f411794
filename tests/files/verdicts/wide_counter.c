// precise: SUCCESSFUL
// What is added to a counter can be as large as bounds are followed at all.
#include <assert.h>
#include <pthread.h>

unsigned __int128 sum;

void *add(void *unused) {
    sum += ~(unsigned __int128)0 >> 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    pthread_join(thread, 0);
    assert(sum != 5);
    return 0;
}
