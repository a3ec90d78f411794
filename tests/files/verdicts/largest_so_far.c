// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Any number of threads keep the largest of what they have seen: an inequality that only the condition states.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int largest;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *look(void *unused)
{
    for (;;) {
        int seen = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (seen > largest + 1)
#else
        if (seen > largest)
#endif
            largest = seen;
        assert(seen <= largest);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, look, 0);
}
