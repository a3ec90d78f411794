// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// What is shipped was made, and has gone through two stages: made, both stages and shipped are a sum of four cells. It is read
// by other threads meanwhile.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ordered, made, raw, polished, shipped;

int take(atomic_int *stage)
{
    int seen = atomic_load(stage);
    while (seen > 0)
        if (atomic_compare_exchange_weak(stage, &seen, seen - 1))
            return 1;
    return 0;
}

void *maker(void *unused)
{
    int seen = atomic_load(&ordered);
    while (seen < 300) {
        if (atomic_compare_exchange_weak(&ordered, &seen, seen + 1)) {
            atomic_fetch_add(&made, 1);
            atomic_fetch_add(&raw, 1);
            break;
        }
    }
    return unused;
}

void *polisher(void *unused)
{
    if (take(&raw))
        atomic_fetch_add(&polished, 1);
    return unused;
}

void *shipper(void *unused)
{
#ifdef BROKEN
    atomic_fetch_add(&polished, 1);
#endif
    if (take(&polished)) {
        int mine = atomic_fetch_add(&shipped, 1) + 1;
        assert(mine <= atomic_load(&made));
    }
    return unused;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, NULL, maker, NULL);
        pthread_create(&thread, NULL, polisher, NULL);
        pthread_create(&thread, NULL, shipper, NULL);
    }
}
