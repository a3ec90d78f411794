// One of the threads adds before the barrier, when not all is there.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
pthread_barrier_t phase;
int cells[2], sums[2];
void *worker(void *arg) {
    long me = (long)arg;
    cells[me] = me + 1;
    if (me) pthread_barrier_wait(&phase);
    sums[me] = cells[0] + cells[1];
    if (!me) pthread_barrier_wait(&phase);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&phase, 0, 2);
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (long i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(sums[0] == sums[1]);
}
