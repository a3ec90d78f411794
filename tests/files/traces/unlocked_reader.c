// The writer keeps both balances under a lock; the reader does without.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance[2] = {50, 50};

void *transfer(void *unused)
{
    int amount = __VERIFIER_nondet_int();
    if (amount < 1 || amount > 50)
        return 0;
    pthread_mutex_lock(&m);
    balance[0] -= amount;
    balance[1] += amount;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, transfer, 0);
    int sum = balance[0] + balance[1];
    assert(sum == 100);
    pthread_join(thread, 0);
}
