// A future: one thread fulfils a promise with a value, two threads wait for it and use it.
//
// Safe: who waits goes on when `ready` is set, which is done with the value under the same mutex.
// Broken: `ready` is set before the value under a lock of its own, and a waiting thread may get 0.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct future {
    pthread_mutex_t lock;
    pthread_cond_t fulfilled;
    bool ready;
    int value;
};

static struct future *future_new(void)
{
    struct future *f = malloc(sizeof *f);
    if (f == NULL)
        abort();
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->fulfilled, NULL);
    f->ready = false;
    f->value = 0;
    return f;
}

static void future_set(struct future *f, int value)
{
    pthread_mutex_lock(&f->lock);
    f->ready = true;
#ifdef BROKEN
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_lock(&f->lock);
#endif
    f->value = value;
    pthread_cond_broadcast(&f->fulfilled);
    pthread_mutex_unlock(&f->lock);
}

static int future_get(struct future *f)
{
    int value;
    pthread_mutex_lock(&f->lock);
    while (!f->ready)
        pthread_cond_wait(&f->fulfilled, &f->lock);
    value = f->value;
    pthread_mutex_unlock(&f->lock);
    return value;
}

static void *fulfil(void *arg)
{
    future_set(arg, 17);
    return NULL;
}

static void *await(void *arg)
{
    assert(future_get(arg) == 17);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    struct future *f = future_new();
    pthread_create(&threads[0], NULL, await, f);
    pthread_create(&threads[1], NULL, await, f);
    pthread_create(&threads[2], NULL, fulfil, f);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    free(f);
    return 0;
}
