// precise: SUCCESSFUL --engine bounded --unwind 2
// precise: FAILED --engine bounded --unwind 2 -DBROKEN
// A queue of pointers that is a member, with members around it that may be taken for pointers where its index is any number: the
// index is read from memory that two threads write.
#include <assert.h>
#include <pthread.h>
struct job {
    int input, output;
};
struct queue {
    pthread_mutex_t lock;
    int head;
    struct job *jobs[3];
    int tail;
} queue;
struct job jobs[2];

void *work(void *arg) {
    for (int i = 0; i < 2; i++) {
        struct job *job = 0;
        pthread_mutex_lock(&queue.lock);
        if (queue.head < queue.tail)
            job = queue.jobs[queue.head++];
        pthread_mutex_unlock(&queue.lock);
        if (job)
            job->output = job->input + 1;
    }
    return 0;
}

static void submit(struct job *job) {
    pthread_mutex_lock(&queue.lock);
    queue.jobs[queue.tail++] = job;
    pthread_mutex_unlock(&queue.lock);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int i = 0; i < 2; i++) {
        jobs[i].input = i;
        submit(&jobs[i]);
    }
    pthread_join(thread, 0);
#ifdef BROKEN
    assert(jobs[0].output == 1);
#else
    assert(jobs[0].output == 0 || jobs[0].output == 1);
    assert(jobs[1].output == 0 || jobs[1].output == 2);
#endif
    return 0;
}
