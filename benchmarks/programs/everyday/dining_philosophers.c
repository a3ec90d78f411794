// Three philosophers eat once each with the forks at their sides; a fork is a mutex and counts who holds it.
//
// Safe: both mutexes are held while eating, so no fork is in two hands; the lower-numbered fork is taken first, so all eat.
// Broken: the last philosopher forgets the second fork's mutex, and may eat with a fork that a neighbour holds.
#include <assert.h>
#include <pthread.h>

#define N 3

static pthread_mutex_t forks[N] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int user[N];
static int meals;
static pthread_mutex_t meals_lock = PTHREAD_MUTEX_INITIALIZER;

static void *dine(void *arg)
{
    int me = (int)(long)arg;
    int first = me < (me + 1) % N ? me : (me + 1) % N;
    int second = me < (me + 1) % N ? (me + 1) % N : me;

    pthread_mutex_lock(&forks[first]);
#ifdef BROKEN
    if (me != N - 1)
#endif
        pthread_mutex_lock(&forks[second]);
    user[first] = me;
    user[second] = me;
    assert(user[first] == me && user[second] == me);
    pthread_mutex_lock(&meals_lock);
    meals++;
    pthread_mutex_unlock(&meals_lock);
#ifdef BROKEN
    if (me != N - 1)
#endif
        pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t philosophers[N];
    for (long i = 0; i < N; i++)
        pthread_create(&philosophers[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(philosophers[i], NULL);
    assert(meals == N);
    return 0;
}
