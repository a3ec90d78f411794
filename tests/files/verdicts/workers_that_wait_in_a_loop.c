// precise: SUCCESSFUL --engine bounded --unwind 3
// Workers wait in a loop within a loop: a round that changes nothing is left out of both, however often it could be made.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t is_filled;
    int head, tail;
    bool is_closing;
};

static struct pool pool;

static void *worker(void *argument) {
    struct pool *p = argument;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (p->head == p->tail && !p->is_closing)
            pthread_cond_wait(&p->is_filled, &p->lock);
        if (p->head == p->tail) {
            pthread_mutex_unlock(&p->lock);
            return NULL;
        }
        p->head++;
        pthread_mutex_unlock(&p->lock);
    }
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &pool);
    pthread_mutex_lock(&pool.lock);
    pool.tail++;
    pthread_cond_signal(&pool.is_filled);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_lock(&pool.lock);
    pool.is_closing = true;
    pthread_cond_broadcast(&pool.is_filled);
    pthread_mutex_unlock(&pool.lock);
    pthread_join(thread, NULL);
    assert(pool.head == pool.tail);
}
