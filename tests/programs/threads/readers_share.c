// covers: read-write-locks
// expect: failed
// threads: 2
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int inside;

void *worker(void *arg)
{
    pthread_rwlock_rdlock(&l);
    inside = 1;
    assert(pthread_rwlock_trywrlock(&l) != 0);
    assert(inside == 1); /* Another reader is there too. */
    inside = 0;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_rwlock_init(&l, 0);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
