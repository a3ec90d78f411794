// precise: SUCCESSFUL --threads 1
// NOTE assuming that thread creation succeeds
// NOTE assuming that allocations succeed
#include <pthread.h>
#include <stdlib.h>

void *work(void *unused) { return 0; }

int main(void) {
    pthread_t t;
    int *object = malloc(sizeof *object);
    __CPROVER_assert(pthread_create(&t, 0, work, 0) == 0 && object, "both");
}
