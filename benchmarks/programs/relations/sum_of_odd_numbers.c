// The sum of the first n odd numbers is the square of n.
//
// Safe: the thread adds 1, 3, 5, ... for n up to 30. -DANY: any number of threads.
// Broken: it begins with 3.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *add(void *unused)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 30)
        return unused;
    int sum = 0;
#ifdef BROKEN
    int odd = 3;
#else
    int odd = 1;
#endif
    for (int i = 0; i < n; i++) {
        assert(odd == 2 * i + 1);
        sum += odd;
        odd += 2;
    }
    assert(sum == n * n);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, add, 0);
    add(0);
    return 0;
}
