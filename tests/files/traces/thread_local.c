// Each thread counts for itself.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
static _Thread_local int mine = 10;
int total;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int bump(int *counter) { return ++*counter; }
void *worker(void *unused) {
    bump(&mine);
    pthread_mutex_lock(&m);
    total += mine;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    bump(&mine);
    assert(total == 23 || mine == 12);
}
