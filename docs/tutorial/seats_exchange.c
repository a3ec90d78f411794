#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int seats = 3;

void *sell(void *unused)
{
    int before = atomic_load(&seats);
    while (before > 0 && !atomic_compare_exchange_weak(&seats, &before, before - 1))
        ;
    assert(atomic_load(&seats) >= 0);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, sell, 0);
}
