// Threads take jobs from a list, to which the initial thread adds.
// There are jobs of kinds 1 and 2 only; broken, also of kind 3.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

struct job { int kind; int argument; struct job *next; };
struct job *jobs; int running;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *u) {
    while (1) {
        pthread_mutex_lock(&lock);
        struct job *j = jobs;
        if (j) jobs = j->next;
        pthread_mutex_unlock(&lock);
        if (!j) continue;
        switch (j->kind) {
        case 1: case 2: break;
        default: assert(0);
        }
        free(j);
    }
    return u;
}
int main(void) {
    pthread_t t;
    while (1) {
        pthread_create(&t, 0, worker, 0);
        struct job *j = malloc(sizeof *j);
#ifdef BROKEN
        j->kind = __VERIFIER_nondet_int() ? 1 : 3;
#else
        j->kind = __VERIFIER_nondet_int() ? 1 : 2;
#endif
        j->argument = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        j->next = jobs;
        jobs = j;
        pthread_mutex_unlock(&lock);
    }
}
