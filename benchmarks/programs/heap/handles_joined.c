// 10,000 threads are started and joined.
// A lock guards `busy`; broken, nobody takes it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

pthread_t handles[10000];
int busy;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *u) {
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    busy++;
    assert(busy == 1);
    busy--;
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return u;
}
int main(void) { for (int i = 0; i < 10000; i++) pthread_create(&handles[i], 0, worker, 0);
    for (int i = 0; i < 10000; i++) pthread_join(handles[i], 0); }
