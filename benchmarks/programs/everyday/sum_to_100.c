// A thread adds the numbers 1 to 100 and hands the sum back through its result.
//
// Safe: the sum is 100 * 101 / 2 = 5050.
// Broken: the loop ends before 100, so the sum is 4950.
#include <assert.h>
#include <pthread.h>

static void *add(void *arg)
{
    long last = (long)arg;
    long sum = 0;
#ifdef BROKEN
    for (long i = 1; i < last; i++)
#else
    for (long i = 1; i <= last; i++)
#endif
        sum += i;
    return (void *)sum;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, add, (void *)100L);
    pthread_join(thread, &result);
    assert((long)result == 5050);
    return 0;
}
