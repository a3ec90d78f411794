// precise: SUCCESSFUL --threads 2
// Two threads sort the halves of an array, which main merges.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int numbers[4] = { 4, 3, 2, 1 };

int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

void *sorter(void *half) {
    qsort((int *)half, 2, sizeof(int), by_value);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sorter, numbers);
    sorter(numbers + 2);
    pthread_join(thread, 0);
    assert(numbers[0] == 3 && numbers[1] == 4 && numbers[2] == 1 && numbers[3] == 2);
    qsort(numbers, 4, sizeof *numbers, by_value);
    int wanted = 3;
    assert(bsearch(&wanted, numbers, 4, sizeof *numbers, by_value) == numbers + 2);
}
