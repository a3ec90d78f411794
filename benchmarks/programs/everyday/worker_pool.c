// Three workers take numbers of jobs from a shared counter until none is left; each job squares its number.
//
// Safe: the next job is read and the counter moved under one lock, so each job is done by one worker, and done once.
// Broken: the counter is read before the lock is taken, so two workers may do the same job.
#include <assert.h>
#include <pthread.h>

#define JOBS 4
#define WORKERS 3

static int next_job;
static int results[JOBS];
static int times_done[JOBS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take_job(void)
{
    int job;
#ifdef BROKEN
    job = next_job;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    job = next_job;
#endif
    if (job < JOBS)
        next_job = job + 1;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *arg)
{
    (void)arg;
    for (;;) {
        int job = take_job();
        if (job >= JOBS)
            return NULL;
        results[job] = job * job;
        pthread_mutex_lock(&lock);
        times_done[job]++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    for (int job = 0; job < JOBS; job++) {
        assert(results[job] == job * job);
        assert(times_done[job] == 1);
    }
    return 0;
}
