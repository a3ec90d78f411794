// precise: FAILED --threads 2
// The last value is 3.
#include <pthread.h>

int sum;

void *worker(void *argument) {
    int values[2] = {1, 3};
    int *value = &values[(long)argument & 1];
    __CPROVER_atomic_begin();
    sum = *value;
    __CPROVER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t first;
    pthread_create(&first, 0, worker, (void *)1);
    __CPROVER_assert(sum <= 2, "one of the values");
}
