// Loops with a known number of rounds, also where they are too long to be unrolled, and threads that
// start threads.
// RUN: sapa check %s
// RUN: sapa check -DENDLESS %s
// EXIT: 10
// check: any number of threads (the program starts at most 60; the failing run has 2), sequential consistency
// check: VERIFICATION FAILED
// check: any number of threads (the failing run has 2 besides the initial one), sequential consistency
// check: VERIFICATION FAILED
#include <assert.h>
#include <pthread.h>

int n;

void *add(void *arg)
{
    n = n + 1;
    assert(n != 2);
    return 0;
}

void *two(void *arg)
{
    pthread_t s, t;
    pthread_create(&s, 0, add, 0);
    pthread_create(&t, 0, add, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
#ifdef ENDLESS
    for (unsigned i = 0; i >= 0; i++)
#else
    for (int i = 40; i > 0; i -= 2)
#endif
        pthread_create(&t, 0, two, 0);
}
