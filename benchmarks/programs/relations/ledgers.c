// Two ledgers that must agree: each booking is a debit here and a credit there, in two steps under one lock.
//
// Safe: who has the lock finds them equal. -DANY: any number of clerks.
// Broken: a booking of 100 or more is written without the lock.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long debit, credit;
int bookings;

void *clerk(void *unused)
{
    for (;;) {
        int amount = __VERIFIER_nondet_int();
        if (amount < 0)
            break;
#ifdef BROKEN
        if (amount >= 100) {
            debit += amount;
            credit += amount;
            continue;
        }
#endif
        pthread_mutex_lock(&lock);
        assert(debit == credit);
        debit += amount;
        credit += amount;
        bookings++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, clerk, 0);
#else
    pthread_create(&thread, 0, clerk, 0);
    pthread_create(&thread, 0, clerk, 0);
#endif
    return 0;
}
