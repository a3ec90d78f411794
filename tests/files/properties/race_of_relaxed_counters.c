// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DRELAXED
// The last of two threads that count down with a relaxed operation reads what the other one wrote; with one that acquires and releases it may. A
// load before the lock is taken orders nothing, and needs not.
#include <pthread.h>
#include <stdatomic.h>
#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acq_rel
#endif
atomic_int left = 2, lock;
int part[2], sum, done;

void *work(void *arg) {
    long mine = (long)arg;
    part[mine] = 1;
    if (atomic_fetch_sub_explicit(&left, 1, ORDER) == 1)
        sum = part[0] + part[1];
    do
        while (atomic_load_explicit(&lock, memory_order_relaxed))
            ;
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire));
    done++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return sum;
}
