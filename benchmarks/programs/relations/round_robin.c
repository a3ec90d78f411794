// Three threads take turns by a number; the one whose turn it is counts.
//
// Safe: the counts of earlier threads are never behind those of later ones, and at most one ahead.
// Broken: the third one passes the turn on before it counts.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int turn;
atomic_uint a, b, c;

void *first(void *unused)
{
    for (;;) {
        while (turn != 0)
            ;
        assert(a == b && b == c);
        a++;
        turn = 1;
    }
    return unused;
}

void *second(void *unused)
{
    for (;;) {
        while (turn != 1)
            ;
        b++;
        turn = 2;
    }
    return unused;
}

void *third(void *unused)
{
    for (;;) {
        while (turn != 2)
            ;
        assert(a == b && b == c + 1);
#ifdef BROKEN
        turn = 0;
        c++;
#else
        c++;
        turn = 0;
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    pthread_create(&thread, 0, second, 0);
    pthread_create(&thread, 0, third, 0);
    return 0;
}
