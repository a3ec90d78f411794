// precise: SUCCESSFUL
// precise: SUCCESSFUL -DMAIN
// precise: FAILED -DMAIN -DEARLY
// precise: FAILED -DCARELESS
// precise: FAILED -DFORGOTTEN
// precise: FAILED -DHALF
// precise: FAILED -DMANY
// precise: SUCCESSFUL --mm tso
// precise: FAILED --mm tso -DHALF

// Threads that are executed once add to a sum in loops whose rounds nobody knows: the sum is what each of them has added, which
// each of them knows by what it has itself, and who joins them knows it, too. But not who joins one of them, nor of what is
// written without the lock, by many threads, or by a thread that may hold the lock itself.

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

int rounds, sum, twice, last;
int done;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *adder(void *argument)
{
    for (int i = 0; i < rounds; i++) {
#ifndef CARELESS
        pthread_mutex_lock(&m);
#endif
        sum++;
        twice += 2;
#ifndef CARELESS
        pthread_mutex_unlock(&m);
#endif
    }
    return argument;
}

void *taker(void *argument)
{
    int taken = 0;
    while (taken < rounds) {
        pthread_mutex_lock(&m);
        sum--;
        twice -= 2;
        pthread_mutex_unlock(&m);
        taken++;
    }
    done = 1;
    return argument;
}

#ifdef MANY
void *reader(void *argument)
{
    if (done) {
        int found = __VERIFIER_nondet_int();
        last = found;
        assert(last == found);
    }
    return argument;
}
#endif

int main(void)
{
    pthread_t a, b, c;
    rounds = __VERIFIER_nondet_int();
    if (rounds < 0 || rounds > 1000)
        return 0;
    pthread_create(&a, 0, adder, 0);
    pthread_create(&b, 0, taker, 0);
#ifdef MANY
    while (1)
        pthread_create(&c, 0, reader, 0);
#endif
#ifdef MAIN
    pthread_mutex_lock(&m);
    sum += 5;
    twice += 10;
    pthread_mutex_unlock(&m);
#endif
#ifdef HALF
    int holds = __VERIFIER_nondet_int();
    pthread_join(a, 0);
    if (holds) {
        pthread_mutex_lock(&m);
        sum++;
    }
    pthread_join(b, 0);
    assert(twice == 2 * sum);
    if (holds) {
        twice += 2;
        pthread_mutex_unlock(&m);
    }
#else
#ifndef FORGOTTEN
    pthread_join(a, 0);
#endif
#ifndef EARLY
    pthread_join(b, 0);
#endif
#ifdef MAIN
    assert(sum == 5);
#else
    assert(sum == 0);
    assert(twice == 0);
#endif
#endif
    (void)c;
    return 0;
}
