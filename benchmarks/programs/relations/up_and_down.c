// One counter goes up while another goes down; together they are what was given.
//
// Safe: i + j == n all the time, so that j is 0 where i is n. -DANY: any number of threads do so with their own n.
// Broken: the second counter is not changed in every seventh round.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *count(void *unused)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return unused;
    int i = 0, j = n;
    while (i < n) {
        i++;
#ifdef BROKEN
        if (i % 7)
            j--;
#else
        j--;
#endif
        assert(i + j == n);
    }
    assert(j == 0);
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
