// precise: SUCCESSFUL --threads 3
// Starts and joins in loops, with an argument and a result each.
#include <pthread.h>

void *next(void *argument) {
    return (void *)((long)argument + 1);
}

int main(void) {
    pthread_t threads[3];
    long sum = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, next, (void *)i);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    __CPROVER_assert(sum == 6, "1 + 2 + 3");
}
