// Transfers between three accounts, of any amount that the account has.
//
// Safe: together they keep what they had, and none is below zero. -DANY: any number of threads.
// Broken: the amount is compared before the lock is taken.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int giro = 500, savings = 300, shares = 200;

void *save(void *unused)
{
    for (;;) {
        int amount = __VERIFIER_nondet_int();
        if (amount <= 0)
            continue;
#ifdef BROKEN
        if (amount > giro)
            continue;
        pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        if (amount <= giro)
#endif
        {
            giro -= amount;
            savings += amount;
        }
        assert(giro >= 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *invest(void *unused)
{
    for (;;) {
        int amount = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        if (amount > 0 && amount <= savings) {
            savings -= amount;
            shares += amount;
        }
        assert(giro + savings + shares == 1000);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, save, 0);
        pthread_create(&thread, 0, invest, 0);
    }
#else
    pthread_create(&thread, 0, save, 0);
    pthread_create(&thread, 0, save, 0);
    pthread_create(&thread, 0, invest, 0);
#endif
    return 0;
}
