// A semaphore of a mutex and a condition variable admits two of three threads at a time.
//
// Safe: a thread enters when it has decremented a count of free places that was positive, so at most two are inside.
// Broken: the wait is an `if` and not a loop; a thread that is woken finds the place taken by another and enters all the same.
#include <assert.h>
#include <pthread.h>

#define THREADS 3

struct semaphore {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    int free_places;
};

static struct semaphore room = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2 };
static pthread_mutex_t inside_lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void semaphore_down(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
#ifdef BROKEN
    if (s->free_places == 0)
#else
    while (s->free_places == 0)
#endif
        pthread_cond_wait(&s->freed, &s->lock);
    s->free_places--;
    pthread_mutex_unlock(&s->lock);
}

static void semaphore_up(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
    s->free_places++;
    pthread_cond_signal(&s->freed);
    pthread_mutex_unlock(&s->lock);
}

static void *visit(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        semaphore_down(&room);
        pthread_mutex_lock(&inside_lock);
        inside++;
        assert(inside <= 2);
        pthread_mutex_unlock(&inside_lock);
        pthread_mutex_lock(&inside_lock);
        inside--;
        pthread_mutex_unlock(&inside_lock);
        semaphore_up(&room);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
