// Fibonacci numbers by threads: for n of 2 and more a thread starts two threads for n - 1 and n - 2 and adds their results.
//
// Safe: fib(4) = 3, whose tree has nine threads.
// Broken: the second result is that of n - 1 again, and 8 comes out.
#include <assert.h>
#include <pthread.h>

static void *fibonacci(void *arg)
{
    long n = (long)arg;
    pthread_t left, right;
    void *a, *b;
    if (n < 2)
        return (void *)n;
    pthread_create(&left, NULL, fibonacci, (void *)(n - 1));
#ifdef BROKEN
    pthread_create(&right, NULL, fibonacci, (void *)(n - 1));
#else
    pthread_create(&right, NULL, fibonacci, (void *)(n - 2));
#endif
    pthread_join(left, &a);
    pthread_join(right, &b);
    return (void *)((long)a + (long)b);
}

int main(void)
{
    pthread_t root;
    void *result;
    pthread_create(&root, NULL, fibonacci, (void *)4L);
    pthread_join(root, &result);
    assert((long)result == 3);
    return 0;
}
