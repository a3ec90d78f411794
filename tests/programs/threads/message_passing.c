// covers: memory-orders
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data;

void *worker(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(data == 1);
    return 0;
}
