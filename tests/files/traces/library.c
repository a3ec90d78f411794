// What library functions do is said of their calls: nothing of their models is shown.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
pthread_once_t once = PTHREAD_ONCE_INIT;
sem_t free_slots;
int ready, copy[2], original[2] = {-1, 2};
struct { char letter; unsigned flag : 1; } parts, others;

void prepare(void) { ready = 1; }

void *other(void *unused)
{
    sem_post(&free_slots);
    return (void *)3;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_t own;
    void *result;
    pthread_mutex_init(&own, NULL);
    sem_init(&free_slots, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    sem_wait(&free_slots);
    if (sem_trywait(&free_slots) == 0)
        return 0;
    pthread_join(thread, &result);
    pthread_mutex_trylock(&m);
    pthread_mutex_unlock(&m);
    pthread_rwlock_rdlock(&lock);
    if (pthread_rwlock_trywrlock(&lock) == 0)
        return 0;
    pthread_rwlock_unlock(&lock);
    pthread_once(&once, prepare);
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_wait(&barrier);
    memcpy(copy, original, sizeof copy);
    parts.letter = 'x'; parts.flag = 1;
    others = parts;
    int *cell = calloc(2, sizeof *cell);
    cell[1] = copy[0];
    printf("%d\n", cell[1]);
    assert(cell[1] == 2);
}
