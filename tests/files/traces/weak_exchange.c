// A weak compare-exchange may fail although nobody has changed the flag.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

atomic_int owner;
atomic_flag busy = ATOMIC_FLAG_INIT;
sem_t tickets;

void *watcher(void *unused)
{
    int left;
    sem_getvalue(&tickets, &left);
    atomic_flag_test_and_set(&busy);
    atomic_flag_clear(&busy);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int nobody = 0;
    sem_init(&tickets, 0, 3);
    pthread_create(&thread, 0, watcher, 0);
    pthread_join(thread, 0);
    _Bool taken = atomic_compare_exchange_weak(&owner, &nobody, 7);
    assert(taken || nobody != 0);
}
