// Two threads play ping-pong by a flag; each counts its hits.
//
// Safe: who serves is at most one hit ahead. (One thread of each kind: others would have to know whose turn it is.)
// Broken: the flag is set before the hit is counted.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int pongs_turn;
atomic_uint pings, pongs;

void *ping(void *unused)
{
    for (;;) {
        while (pongs_turn)
            ;
        assert(pings == pongs);
#ifdef BROKEN
        pongs_turn = 1;
        pings++;
#else
        pings++;
        pongs_turn = 1;
#endif
    }
    return unused;
}

void *pong(void *unused)
{
    for (;;) {
        while (!pongs_turn)
            ;
        assert(pings - pongs == 1);
        pongs++;
        pongs_turn = 0;
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, ping, 0);
    pthread_create(&b, 0, pong, 0);
    return 0;
}
