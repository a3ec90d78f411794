// Odd-even transposition sort of six numbers by two threads, which meet at a POSIX barrier after each phase.
//
// Safe: after as many phases as there are elements the array is sorted, and pairs of one phase do not overlap.
// Broken: there is one phase too few for the smallest element to come from the last place to the first.
#include <assert.h>
#include <pthread.h>

#define LENGTH 6
#ifdef BROKEN
#define PHASES (LENGTH - 1)
#else
#define PHASES LENGTH
#endif

static int array[LENGTH] = { 6, 5, 4, 3, 2, 1 };
static pthread_barrier_t barrier;

static void compare_exchange(int i)
{
    if (i + 1 < LENGTH && array[i] > array[i + 1]) {
        int t = array[i];
        array[i] = array[i + 1];
        array[i + 1] = t;
    }
}

static void *sort(void *arg)
{
    int me = *(int *)arg;
    for (int phase = 0; phase < PHASES; phase++) {
        for (int i = phase % 2 + 2 * me; i < LENGTH; i += 4)
            compare_exchange(i);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = { 0, 1 };
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sort, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < LENGTH; i++)
        assert(array[i] == i + 1);
    return 0;
}
