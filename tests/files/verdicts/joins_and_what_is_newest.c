// precise: FAILED --engine bounded --unwind 4 -DANCESTOR
// precise: FAILED --engine bounded --unwind 4 -DBETWEEN
// precise: FAILED --engine bounded --unwind 4 -DPATHS
// precise: FAILED --engine bounded --unwind 4 -DPATHS -DWRITES
// precise: FAILED --engine bounded --unwind 4 -DTWICE
// sound: FAILED --engine bounded --unwind 4 -DENDS
// What a thread has written that is waited for need not be the newest: whoever waits may have learned of newer writes
// in other ways, and others may wait for the same thread on other paths.
#include <assert.h>
#include <pthread.h>
#include <threads.h>

extern int __VERIFIER_nondet_int(void);

static int place, chosen;
static pthread_t first, second;

static void *one(void *argument)
{
    place = 1;
    return argument;
}

#if defined ANCESTOR
static void *young(void *parent)
{
    place = 2;
    pthread_join((pthread_t)parent, 0);
    assert(place == 1);
    return 0;
}

int main(void)
{
    place = 1;
    pthread_create(&first, 0, young, (void *)pthread_self());
    pthread_exit(0);
}
#elif defined BETWEEN
static void *last(void *argument)
{
    (void)argument;
    pthread_join(second, 0);
    pthread_join(first, 0);
    assert(place == 5);
    return 0;
}

static void *starts_others(void *argument)
{
    pthread_t third;
    place = 5;
    pthread_create(&second, 0, one, 0);
    first = pthread_self();
    pthread_create(&third, 0, last, 0);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, starts_others, 0);
}
#elif defined PATHS
static void *other(void *argument)
{
    if (chosen) {
        pthread_join(first, 0);
#ifdef WRITES
        place = 7;
#endif
    }
    return argument;
}

int main(void)
{
    chosen = __VERIFIER_nondet_int();
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    if (!chosen) {
        pthread_join(first, 0);
        pthread_join(second, 0);
        assert(place != 1);
    }
}
#elif defined TWICE
int main(void)
{
    pthread_create(&first, 0, one, 0);
    pthread_join(first, 0);
    place = 5;
    pthread_join(first, 0);
    assert(place == 1);
}
#elif defined ENDS
static int ends(void *argument)
{
    (void)argument;
    if (chosen)
        pthread_exit(&place);
    return 0;
}

int main(void)
{
    thrd_t thread;
    void *result;
    chosen = __VERIFIER_nondet_int();
    place = 1;
    thrd_create(&thread, ends, 0);
    pthread_join(thread, &result);
    if (chosen) {
        int *found = result;
        assert(*found == 0);
    }
}
#endif
