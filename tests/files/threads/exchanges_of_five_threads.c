// precise: SUCCESSFUL
// Five threads that retry exchanges: few states, if orders of steps are left out that lead nowhere else.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int level, ups, downs;

static void *up(void *argument)
{
    int old = level;
    do {
        if (old >= 2)
            return argument;
    } while (!atomic_compare_exchange_weak(&level, &old, old + 1));
    ups++;
    return argument;
}

static void *down(void *argument)
{
    int old = level;
    do {
        if (old <= 0)
            return argument;
    } while (!atomic_compare_exchange_weak(&level, &old, old - 1));
    downs++;
    return argument;
}

int main(void)
{
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], 0, i % 2 ? down : up, 0);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], 0);
    assert(level >= 0 && level <= 2);
    assert(ups - downs == level);
    return 0;
}
