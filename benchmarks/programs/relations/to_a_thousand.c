// Two threads each count to 1,000 for themselves, one twice as fast into a second variable.
//
// Safe: what is counted is 1,000 and 2,000. -DANY: any number of threads.
// Broken: the second variable is not counted in the round of 999.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *count(void *unused)
{
    int i = 0, twice = 0;
    while (i != 1000) {
#ifdef BROKEN
        if (i != 999)
#endif
            twice += 2;
        i++;
    }
    assert(twice == 2000);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, count, 0);
    count(0);
    return 0;
}
