// Three stages by atomic increments: each takes from the one before.
//
// Safe: a thread adds to a stage what it has seen ahead, so that third <= second <= first. (One thread a stage.)
// Broken: the third stage follows the first one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int first, second, third;

void *one(void *unused)
{
    while (first < 100000)
        first++;
    return unused;
}

void *two(void *unused)
{
    for (;;)
        if (second < first)
            second++;
    return unused;
}

void *three(void *unused)
{
    for (;;) {
#ifdef BROKEN
        if (third < first)
#else
        if (third < second)
#endif
            third++;
        int t = third;
        int s = second;
        assert(t <= s);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, two, 0);
    pthread_create(&thread, 0, three, 0);
    return 0;
}
