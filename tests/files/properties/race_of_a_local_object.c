// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// A local object of main, which threads get as their argument, is read behind both joins, or behind one.
#include <pthread.h>
struct job {
    pthread_mutex_t m;
    int input, output;
};

void *run(void *arg) {
    struct job *job = arg;
    pthread_mutex_lock(&job->m);
    job->output = job->output + job->input;
    pthread_mutex_unlock(&job->m);
    return 0;
}

int main(void) {
    struct job job;
    pthread_t one, two;
    pthread_mutex_init(&job.m, 0);
    job.input = 3, job.output = 0;
    pthread_create(&one, 0, run, &job);
    pthread_create(&two, 0, run, &job);
    pthread_join(one, 0);
#ifndef BROKEN
    pthread_join(two, 0);
#endif
    return job.output;
}
