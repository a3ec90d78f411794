// Two threads move money between two accounts, and an auditor adds both balances meanwhile.
//
// Safe: a transfer and an audit hold both locks, taken in the same order, so the auditor sees no money under way.
// Broken: the auditor reads each balance under its own lock alone, and a transfer may happen between the two.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account alice = { PTHREAD_MUTEX_INITIALIZER, 100 };
static struct account bob = { PTHREAD_MUTEX_INITIALIZER, 50 };

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&alice.lock);
    pthread_mutex_lock(&bob.lock);
    if (from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
    }
    pthread_mutex_unlock(&bob.lock);
    pthread_mutex_unlock(&alice.lock);
}

static void *pay(void *arg)
{
    (void)arg;
    transfer(&alice, &bob, 30);
    return NULL;
}

static void *pay_back(void *arg)
{
    (void)arg;
    transfer(&bob, &alice, 60);
    return NULL;
}

static void *audit(void *arg)
{
    int total;
    (void)arg;
    pthread_mutex_lock(&alice.lock);
    total = alice.balance;
#ifdef BROKEN
    pthread_mutex_unlock(&alice.lock);
    pthread_mutex_lock(&bob.lock);
    total += bob.balance;
    pthread_mutex_unlock(&bob.lock);
#else
    pthread_mutex_lock(&bob.lock);
    total += bob.balance;
    pthread_mutex_unlock(&bob.lock);
    pthread_mutex_unlock(&alice.lock);
#endif
    assert(total == 150);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, pay, NULL);
    pthread_create(&threads[1], NULL, pay_back, NULL);
    pthread_create(&threads[2], NULL, audit, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
