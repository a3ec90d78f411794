// precise: SUCCESSFUL --threads 1
// Who waits for room inside an atomic section lets nobody end.
#include <pthread.h>

void *work(void *unused) { return 0; }

int main(void) {
    pthread_t first, second;
    __CPROVER_atomic_begin();
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    __CPROVER_assert(0, "never reached");
    __CPROVER_atomic_end();
}
