// Transfers between any two of four accounts in a table; the bank's sum is beside it.
//
// Safe: a transfer takes from one what it gives to the other; deposits change the sum, too. -DANY: any number of threads.
// Broken: a transfer from an account to itself reads the balance before it has changed it.
#include <assert.h>
#include <pthread.h>

#define ACCOUNTS 4

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned balance[ACCOUNTS], all;

void *deposit(void *unused)
{
    for (;;) {
        unsigned to = __VERIFIER_nondet_int(), amount = __VERIFIER_nondet_int();
        if (to >= ACCOUNTS)
            continue;
        pthread_mutex_lock(&lock);
        balance[to] += amount;
        all += amount;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *transfer(void *unused)
{
    for (;;) {
        unsigned from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();
        unsigned amount = __VERIFIER_nondet_int();
        if (from >= ACCOUNTS || to >= ACCOUNTS)
            continue;
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        unsigned there = balance[to];
        balance[from] -= amount;
        balance[to] = there + amount;
#else
        balance[from] -= amount;
        balance[to] += amount;
#endif
        assert(balance[0] + balance[1] + balance[2] + balance[3] == all);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, deposit, 0);
        pthread_create(&thread, 0, transfer, 0);
    }
#else
    pthread_create(&thread, 0, deposit, 0);
    pthread_create(&thread, 0, transfer, 0);
#endif
    return 0;
}
