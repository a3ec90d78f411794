// Two workers have three tasks each; who has none left steals from the other's end.
//
// Safe: tasks are taken and stolen under the owner's lock, so each task is done once: 6 in all.
// Broken: a thief moves the end without the owner's lock, and a task may be done twice.
#include <assert.h>
#include <pthread.h>

#define TASKS 3

struct deque {
    pthread_mutex_t lock;
    int begin;
    int end;
};

static struct deque deques[2] = {
    { PTHREAD_MUTEX_INITIALIZER, 0, TASKS },
    { PTHREAD_MUTEX_INITIALIZER, 0, TASKS },
};

static int take(struct deque *deque)
{
    int taken = 0;
    pthread_mutex_lock(&deque->lock);
    if (deque->begin < deque->end) {
        deque->begin++;
        taken = 1;
    }
    pthread_mutex_unlock(&deque->lock);
    return taken;
}

static int steal(struct deque *deque)
{
    int taken = 0;
#ifndef BROKEN
    pthread_mutex_lock(&deque->lock);
#endif
    if (deque->begin < deque->end) {
        deque->end--;
        taken = 1;
    }
#ifndef BROKEN
    pthread_mutex_unlock(&deque->lock);
#endif
    return taken;
}

static void *work(void *arg)
{
    long me = (long)arg;
    long done = 0;
    while (take(&deques[me]) || steal(&deques[1 - me]))
        done++;
    return (void *)done;
}

int main(void)
{
    pthread_t threads[2];
    long total = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) {
        void *done;
        pthread_join(threads[i], &done);
        total += (long)done;
    }
    assert(total == 2 * TASKS);
    return 0;
}
