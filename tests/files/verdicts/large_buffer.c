// precise: SUCCESSFUL --engine auto
// The buffer is too large for a variable of each of its elements. What it holds does not matter to `busy`, which is 1
// only while a thread has the lock.
#include <assert.h>
#include <pthread.h>

char buffer[65536];
int busy;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

unsigned __VERIFIER_nondet_uint(void);

void *writer(void *unused) {
    unsigned at = __VERIFIER_nondet_uint();
    if (at >= 65536)
        return unused;
    pthread_mutex_lock(&lock);
    busy++;
    assert(busy == 1);
    buffer[at] = 1;
    if (buffer[at] != 1)
        buffer[0] = 2;
    busy--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t handle;
    while (1)
        pthread_create(&handle, 0, writer, 0);
}
