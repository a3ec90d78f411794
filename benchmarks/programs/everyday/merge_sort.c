// Two threads sort half an array each by insertion, and main merges the halves.
//
// Safe: merging two sorted halves by taking the smaller front element gives a sorted array of the same elements.
// Broken: the second half is sorted without its last element, and the result is not sorted.
#include <assert.h>
#include <pthread.h>

#define LENGTH 8

static int array[LENGTH] = { 7, 3, 8, 1, 6, 5, 4, 2 };

struct range {
    int begin;
    int end;
};

static void *sort(void *arg)
{
    const struct range *range = arg;
    for (int i = range->begin + 1; i < range->end; i++) {
        int element = array[i];
        int j = i;
        while (j > range->begin && array[j - 1] > element) {
            array[j] = array[j - 1];
            j--;
        }
        array[j] = element;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct range halves[2] = { { 0, LENGTH / 2 }, { LENGTH / 2, LENGTH } };
    int merged[LENGTH];
    int left = 0, right = LENGTH / 2;
#ifdef BROKEN
    halves[1].end--;
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sort, &halves[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < LENGTH; i++) {
        if (right == LENGTH || (left < LENGTH / 2 && array[left] <= array[right]))
            merged[i] = array[left++];
        else
            merged[i] = array[right++];
    }
    for (int i = 0; i < LENGTH; i++)
        assert(merged[i] == i + 1);
    return 0;
}
