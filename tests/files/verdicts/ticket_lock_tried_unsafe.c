// precise: FAILED --signed-overflow absent
// precise: FAILED --signed-overflow absent -DSAME
// precise: FAILED --signed-overflow absent -DEARLY
// precise: FAILED --signed-overflow absent -DBELOW
// Whoever does not try again has a number that another one has drawn; nothing is drawn where the counter does not grow; and the lock is
// given back before the section, or taken before its turn.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next, serving;
int users;

void *worker(void *argument)
{
    int number = next;
#if defined(SAME)
    while (!atomic_compare_exchange_strong(&next, &number, number)) {
    }
#elif defined(EARLY) || defined(BELOW)
    while (!atomic_compare_exchange_strong(&next, &number, number + 1)) {
    }
#else
    atomic_compare_exchange_strong(&next, &number, number + 1);
#endif
#ifdef BELOW
    while (serving < number - 1) {
    }
#else
    while (serving != number) {
    }
#endif
#ifdef EARLY
    serving = number + 1;
#endif
    users++;
    assert(users == 1);
    users--;
#ifndef EARLY
    serving = number + 1;
#endif
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
