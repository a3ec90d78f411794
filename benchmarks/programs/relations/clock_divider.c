// A slow clock goes on by one each time when the fast one has gone on by four.
//
// Safe: the fast clock is four times the slow one and the phase. -DANY: any number of threads are clocks.
// Broken: the phase is set to 1 where the slow clock goes on.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

unsigned fast, slow, phase;

void *run(void *unused)
{
    for (;;) {
        __VERIFIER_atomic_begin();
        fast++;
        phase++;
        if (phase == 4) {
#ifdef BROKEN
            phase = 1;
#else
            phase = 0;
#endif
            slow++;
        }
        assert(phase < 4);
        assert(fast == 4 * slow + phase);
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, run, 0);
    run(0);
    return 0;
}
