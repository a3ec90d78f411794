#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int seats = 3;

void *sell(void *unused)
{
    if (atomic_load(&seats) > 0) {
        int before = atomic_fetch_sub(&seats, 1);
        assert(before > 0);
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, sell, 0);
}
