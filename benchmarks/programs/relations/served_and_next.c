// Numbers at a counter: one hands them out, another calls them up.
//
// Safe: nobody is called up who has no number, whoever hands out and calls. -DANY: any number of both.
// Broken: who calls compares an old number of the last one called.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

unsigned next_number, called;

void *hand_out(void *unused)
{
    for (;;) {
        __VERIFIER_atomic_begin();
        if (next_number < 4000000000u)
            next_number++;
        __VERIFIER_atomic_end();
    }
    return unused;
}

void *call_up(void *unused)
{
    for (;;) {
#ifdef BROKEN
        unsigned last = called;
        if (last < next_number) {
            __VERIFIER_atomic_begin();
            called++;
            __VERIFIER_atomic_end();
        }
#else
        __VERIFIER_atomic_begin();
        if (called < next_number)
            called++;
        __VERIFIER_atomic_end();
#endif
        __VERIFIER_atomic_begin();
        assert(called <= next_number);
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, hand_out, 0);
        pthread_create(&thread, 0, call_up, 0);
    }
#else
    pthread_create(&thread, 0, hand_out, 0);
    pthread_create(&thread, 0, call_up, 0);
    pthread_create(&thread, 0, call_up, 0);
#endif
    return 0;
}
