// Two threads change an accumulator in turns, each by its formula; each round brings seven more than it takes.
//
// Safe: behind n rounds of both the accumulator is 7 times n. -DANY: any number of threads do both in one section.
// Broken: the second one takes 4 instead of 3 in its last round.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS 40

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

atomic_int turn;
int accumulator, rounds;

void *add(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn != 0)
            ;
        accumulator += 10;
        turn = 1;
    }
    return unused;
}

void *take(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn != 1)
            ;
#ifdef BROKEN
        accumulator -= i == ROUNDS - 1 ? 4 : 3;
#else
        accumulator -= 3;
#endif
        rounds++;
        assert(accumulator == 7 * rounds);
        turn = 0;
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        __VERIFIER_atomic_begin();
        accumulator += 10;
        accumulator -= 3;
        rounds++;
#ifdef BROKEN
        if (rounds == 5)
            rounds++;
#endif
        assert(accumulator == 7 * rounds);
        __VERIFIER_atomic_end();
    }
#else
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(accumulator == 7 * ROUNDS);
#endif
    return 0;
}
