// RUN: cd %d && sapa check --engine bounded -q waiting.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DBROKEN waiting.c 2>&1; echo $?
// A barrier of a mutex and a condition: who is woken up and has to wait on changes nothing, so that
// the rounds of its loop are bounded by what the others do.
#include <assert.h>
#include <pthread.h>

int arrived, generation, done[2];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t all = PTHREAD_COND_INITIALIZER;

void wait_for_all(void)
{
    pthread_mutex_lock(&lock);
    int mine = generation;
    if (++arrived == 2) {
        generation++;
        arrived = 0;
        pthread_cond_broadcast(&all);
    } else {
#ifdef BROKEN
        pthread_cond_wait(&all, &lock);
#else
        while (mine == generation)
            pthread_cond_wait(&all, &lock);
#endif
    }
    pthread_mutex_unlock(&lock);
}

void *worker(void *argument)
{
    int id = *(int *)argument;
    done[id] = 1;
    wait_for_all();
    assert(done[0] && done[1]);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    int ids[2];
    for (int i = 0; i < 2; i++) {
        ids[i] = i;
        pthread_create(&threads[i], 0, worker, &ids[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
