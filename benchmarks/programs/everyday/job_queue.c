// A queue of jobs on the heap, each a function and its argument; two workers run them and main adds the results.
//
// Safe: a job is unlinked under the lock, so each is run once: double(5) + square(4) + negate(6) = 20.
// Broken: a worker reads the front of the queue without the lock, and a job may be run twice.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
    int (*function)(int);
    int argument;
    struct job *next;
};

static struct job *front;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int twice(int n) { return 2 * n; }
static int square(int n) { return n * n; }
static int negate(int n) { return -n; }

static void submit(int (*function)(int), int argument)
{
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        abort();
    job->function = function;
    job->argument = argument;
    job->next = front;
    front = job;
}

static void *work(void *arg)
{
    (void)arg;
    for (;;) {
        struct job *job;
#ifdef BROKEN
        job = front;
        pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        job = front;
#endif
        if (job != NULL)
            front = job->next;
        pthread_mutex_unlock(&lock);
        if (job == NULL)
            return NULL;
        int result = job->function(job->argument);
        pthread_mutex_lock(&lock);
        total += result;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t a, b;
    submit(twice, 5);
    submit(square, 4);
    submit(negate, 6);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 20);
    return 0;
}
