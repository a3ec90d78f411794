// RUN: sapa check -q --timeout 100 %s | tail -1
// RUN: sapa check -q --timeout 100 -DBROKEN %s | tail -1
// Who leads is known by a number that nobody else has, which functions return and are given: nobody but the leader ends its time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NOBODY 0
#define MOST 0x7ffffff0

static atomic_int last, leader;

static int number(void)
{
    int seen = atomic_load(&last);
    for (;;) {
        if (seen >= MOST)
            return NOBODY;
        if (atomic_compare_exchange_strong(&last, &seen, seen + 1))
            return seen + 1;
    }
}

static int campaign(int own)
{
    int expected = NOBODY;
    return atomic_compare_exchange_strong(&leader, &expected, own);
}

static void resign(int own)
{
    int expected = own;
    atomic_compare_exchange_strong(&leader, &expected, NOBODY);
}

static void *candidate(void *unused)
{
    int own = number();
    if (own == NOBODY)
        return unused;
#ifdef BROKEN
    own = own / 2 + 1;
#endif
    if (campaign(own))
        assert(atomic_load(&leader) == own);
    resign(own);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, candidate, 0);
}
