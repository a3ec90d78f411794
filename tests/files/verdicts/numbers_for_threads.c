// precise: SUCCESSFUL --threads 2
// Numbers that are handed to threads as addresses are no addresses of their locals.
#include <pthread.h>

int sum;

void *worker(void *argument) {
    int values[2] = {1, 2};
    int *value = &values[(long)argument & 1];
    __CPROVER_atomic_begin();
    sum = *value;
    __CPROVER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t first, second;
    long number;
    pthread_create(&first, 0, worker, (void *)1);
    pthread_create(&second, 0, worker, (void *)number);
    __CPROVER_assert(sum <= 2, "one of the values");
}
