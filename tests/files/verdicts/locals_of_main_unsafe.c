// precise: FAILED --threads 2
// Nobody waits for the second thread.
#include <pthread.h>

struct argument {
    int number;
    int *result;
};

void *worker(void *pointer) {
    struct argument *argument = pointer;
    *argument->result = argument->number;
    return 0;
}

int main(void) {
    int results[2] = {0, 0};
    struct argument first, second = {2, &results[1]};
    pthread_t one, two;
    first.number = 1;
    first.result = results;
    pthread_create(&one, 0, worker, &first);
    pthread_create(&two, 0, worker, &second);
    pthread_join(one, 0);
    __CPROVER_assert(results[0] == 1 && results[1] == 2, "both results are there");
}
