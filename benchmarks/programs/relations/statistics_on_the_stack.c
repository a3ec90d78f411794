// Statistics in a structure of main's: a function gets its address and counts into it; another thread works beside.
//
// Safe: the parts are the whole. -DANY: any number of threads keep statistics of their own.
// Broken: a failure of a kind that is above 2 is not counted.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

struct statistics {
    unsigned good, bad, all;
};

static void note(struct statistics *s, int kind)
{
    s->all++;
    if (kind == 0)
        s->good++;
#ifdef BROKEN
    else if (kind <= 2)
#else
    else
#endif
        s->bad++;
}

void *work(void *unused)
{
    struct statistics own = {0, 0, 0};
    while (__VERIFIER_nondet_int()) {
        note(&own, __VERIFIER_nondet_int());
        assert(own.good + own.bad == own.all);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, work, 0);
    work(0);
    return 0;
}
