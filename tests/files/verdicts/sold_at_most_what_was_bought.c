// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// Amounts that the input chooses: `sold + n` does not pass `bought`, since `bought - sold` has room for n.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int sold, bought;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *buyer(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (bought < 1000000)
            bought++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *seller(void *unused)
{
    for (;;) {
        int n = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        int room = bought - sold + 1;
#else
        int room = bought - sold;
#endif
        if (n >= 0 && n <= room)
            sold += n;
        assert(sold <= bought);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, buyer, 0);
        pthread_create(&thread, 0, seller, 0);
    }
}
