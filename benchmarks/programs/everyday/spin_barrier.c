// A barrier of an atomic count and a generation; three threads pass it twice.
//
// Safe: the last to come resets the count before it changes the generation, for which the others wait.
// Broken: the generation is taken to be 0 each time, so that nobody waits in the second round.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define ROUNDS 2

static atomic_int arrived, generation;
static atomic_int steps[THREADS];

static void meet(void)
{
#ifdef BROKEN
    int mine = 0;
#else
    int mine = generation;
#endif
    if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
        arrived = 0;
        generation = mine + 1;
    } else {
        while (generation == mine)
            ;
    }
}

static void *run(void *arg)
{
    int me = *(int *)arg;
    for (int round = 1; round <= ROUNDS; round++) {
        steps[me] = round;
        meet();
        for (int i = 0; i < THREADS; i++)
            assert(steps[i] >= round);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS] = { 0, 1, 2 };
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
