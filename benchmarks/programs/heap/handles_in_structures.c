// A number of tasks that is chosen, each with the handle of its thread, is started and joined.
// A lock guards `busy`; broken, nobody takes it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct task { pthread_t thread; int result; };
int busy;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *p) {
    struct task *t = p;
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    busy++;
    t->result = busy;
    assert(busy == 1);
    busy--;
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) return 0;
    struct task *tasks = malloc(n * sizeof *tasks);
    for (int i = 0; i < n; i++) pthread_create(&tasks[i].thread, 0, worker, &tasks[i]);
    for (int i = 0; i < n; i++) pthread_join(tasks[i].thread, 0);
}
