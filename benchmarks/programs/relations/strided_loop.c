// Every third place of a long line, by an index and by a countdown.
//
// Safe: the index is a multiple of three, and ends at 3,000. -DANY: any number of threads.
// Broken: behind 2,997 it goes on by one.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *go(void *unused)
{
    int i = 0;
    while (i < 3000) {
        assert(i % 3 == 0);
#ifdef BROKEN
        i += i == 2997 ? 1 : 3;
#else
        i += 3;
#endif
    }
    assert(i == 3000);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, go, 0);
    go(0);
    return 0;
}
