// precise: FAILED --threads 3
// Handles beside what threads read and write, in elements of a large array.
// One of them is not joined.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
    pthread_t thread;
    int number;
    int result;
};
struct job jobs[10000];

void *worker(void *argument)
{
    struct job *job = argument;
    job->result = job->number * 2;
    return 0;
}

int main(void)
{
    struct job *more = malloc(10000 * sizeof(struct job));
    for (int i = 0; i < 2; i++) {
        jobs[i].number = i;
        pthread_create(&jobs[i].thread, 0, worker, &jobs[i]);
    }
    more[5].number = 5;
    pthread_create(&more[5].thread, 0, worker, &more[5]);
    for (int i = 0; i < 1; i++)
        pthread_join(jobs[i].thread, 0);
    pthread_join(more[5].thread, 0);
    assert(jobs[1].result == 2);
    assert(more[5].result == 10);
    return 0;
}
