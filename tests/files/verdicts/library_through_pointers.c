// precise: SUCCESSFUL --threads 2
// Library functions do the same through pointers, tables and casts as by name.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct operations {
    int (*enter)(pthread_mutex_t *);
    int (*leave)(pthread_mutex_t *);
} operations = {pthread_mutex_lock, pthread_mutex_unlock};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *worker(void *unused) {
    operations.enter(&lock);
    inside++;
    __CPROVER_assert(inside == 1, "alone");
    inside--;
    operations.leave(&lock);
    return 0;
}

int main(void) {
    int x = 5;
    ((void *(*)(void *, int, unsigned long))memset)(&x, 0, sizeof x);
    __CPROVER_assert(x == 0, "set");
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
    pthread_t a, b;
    create(&a, 0, worker, 0);
    create(&b, 0, worker, 0);
    void (*end)(int) = exit;
    if (x == 0)
        end(0);
    __CPROVER_assert(0, "the program has ended");
}
