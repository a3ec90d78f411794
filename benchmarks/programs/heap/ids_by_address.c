// 5,000 threads get the addresses of their numbers.
// All numbers in the array are below 5,000; broken, the last one is not.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

#define N 5000
int ids[N];
void *worker(void *p) {
    int id = *(int *)p;
    assert(id >= 0 && id < N);
    return 0;
}
int main(void) {
    pthread_t t;
    for (int i = 0; i < N; i++) {
#ifdef BROKEN
        ids[i] = i + 1;
#else
        ids[i] = i;
#endif
        pthread_create(&t, 0, worker, &ids[i]);
    }
}
