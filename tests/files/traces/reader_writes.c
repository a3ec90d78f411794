// A reader writes.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int hits;
void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int old = hits;
    hits = old + 1;
    pthread_rwlock_unlock(&lock);
    return NULL;
}
int main(void) {
    pthread_t readers[2];
    for (int i = 0; i < 2; ++i) pthread_create(&readers[i], NULL, reader, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(readers[i], NULL);
    pthread_rwlock_wrlock(&lock);
    assert(hits == 2);
    pthread_rwlock_unlock(&lock);
}
