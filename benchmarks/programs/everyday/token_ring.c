// Three threads pass a token in a ring twice; its holder adds to a sum.
//
// Safe: the token's value is the number of the thread that may work, so the sum is changed by one thread at a time: 6 turns.
// Broken: a thread passes the token on before it adds, and two additions may run into each other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 3
#define ROUNDS 2

static atomic_int token;
static int turns;

static void *run(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        while (token != me)
            ;
#ifdef BROKEN
        token = (me + 1) % THREADS;
        turns++;
#else
        turns++;
        token = (me + 1) % THREADS;
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(turns == THREADS * ROUNDS);
    return 0;
}
