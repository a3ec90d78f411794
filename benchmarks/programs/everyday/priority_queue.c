// Two threads insert three numbers each into a heap in an array under a lock; main takes them out, smallest first.
//
// Safe: every insertion moves the number up to its place under the lock, and the smallest is on top each time.
// Broken: taking out moves the last number down along the left children only.
#include <assert.h>
#include <pthread.h>

#define EACH 3

static int heap[2 * EACH];
static int size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void swap(int i, int j)
{
    int t = heap[i];
    heap[i] = heap[j];
    heap[j] = t;
}

static void insert(int number)
{
    pthread_mutex_lock(&lock);
    int i = size++;
    heap[i] = number;
    while (i > 0 && heap[i] < heap[(i - 1) / 2]) {
        swap(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
    pthread_mutex_unlock(&lock);
}

static int take_smallest(void)
{
    int smallest = heap[0];
    int i = 0;
    heap[0] = heap[--size];
    for (;;) {
        int child = 2 * i + 1;
        if (child >= size)
            break;
#ifndef BROKEN
        if (child + 1 < size && heap[child + 1] < heap[child])
            child++;
#endif
        if (heap[i] <= heap[child])
            break;
        swap(i, child);
        i = child;
    }
    return smallest;
}

static void *fill(void *arg)
{
    const int *numbers = arg;
    for (int i = 0; i < EACH; i++)
        insert(numbers[i]);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int first[EACH] = { 5, 1, 3 }, second[EACH] = { 2, 6, 4 };
    pthread_create(&a, NULL, fill, first);
    pthread_create(&b, NULL, fill, second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 1; i <= 2 * EACH; i++)
        assert(take_smallest() == i);
    return 0;
}
