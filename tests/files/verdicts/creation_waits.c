// precise: SUCCESSFUL --threads 1
// A creation beyond the number of threads waits until one has ended.
#include <pthread.h>

int ended;

void *work(void *unused) {
    ended++;
    return 0;
}

int main(void) {
    pthread_t first, second;
    __CPROVER_assert(pthread_create(&first, 0, work, 0) == 0, "it succeeds");
    __CPROVER_assert(pthread_create(&second, 0, work, 0) == 0, "it succeeds too");
    __CPROVER_assert(ended >= 1, "the first has ended");
    pthread_join(first, 0);
    pthread_join(second, 0);
    __CPROVER_assert(ended == 2, "nothing was lost");
}
