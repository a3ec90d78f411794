// Two tables that mirror each other: what is written to one is written to the other at the same place.
//
// Safe: under the lock they are equal everywhere. -DANY: any number of threads.
// Broken: the place is chosen anew for the second table where it is the last one.
#include <assert.h>
#include <pthread.h>

#define PLACES 5

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int here[PLACES], there[PLACES];

void *write(void *unused)
{
    for (;;) {
        int place = __VERIFIER_nondet_int(), value = __VERIFIER_nondet_int();
        if (place < 0 || place >= PLACES)
            continue;
        pthread_mutex_lock(&lock);
        here[place] = value;
#ifdef BROKEN
        if (place == PLACES - 1)
            place = 0;
#endif
        there[place] = value;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *compare(void *unused)
{
    for (;;) {
        int place = __VERIFIER_nondet_int();
        if (place < 0 || place >= PLACES)
            continue;
        pthread_mutex_lock(&lock);
        assert(here[place] == there[place]);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, write, 0);
        pthread_create(&thread, 0, compare, 0);
    }
#else
    pthread_create(&thread, 0, write, 0);
    pthread_create(&thread, 0, compare, 0);
#endif
    return 0;
}
