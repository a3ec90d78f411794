// A barrier for four with a number of its generation: the last one who comes begins the next.
//
// Safe: less than four wait, and all together have come 4 times the generation and those who wait. -DANY: any number come.
// Broken: the count is not set back where the last one comes.
#include <assert.h>
#include <pthread.h>

#define PARTIES 4

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned waiting, generation, arrivals;

void arrive(void)
{
    pthread_mutex_lock(&lock);
    unsigned mine = generation;
    arrivals++;
    waiting++;
    if (waiting == PARTIES) {
#ifndef BROKEN
        waiting = 0;
#endif
        generation++;
        assert(generation == mine + 1);
    }
    assert(waiting < PARTIES);
    assert(arrivals == PARTIES * generation + waiting);
    pthread_mutex_unlock(&lock);
}

void *party(void *unused)
{
    for (;;)
        arrive();
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, party, 0);
#else
    for (int i = 0; i < PARTIES; i++)
        pthread_create(&thread, 0, party, 0);
#endif
    return 0;
}
