// Each thread counts what it adds to a shared sum that only grows: the sum is never behind what one thread has added.
//
// Safe: own <= sum, below a limit that all respect. -DANY: any number of threads.
// Broken: the sum is set back to 0 at 3.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void *add(void *unused)
{
    int own = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        if (sum < 1000) {
            sum++;
            own++;
        }
        assert(own <= sum);
#ifdef BROKEN
        if (sum == 3)
            sum = 0;
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, add, 0);
#else
    pthread_create(&thread, 0, add, 0);
    pthread_create(&thread, 0, add, 0);
#endif
    return 0;
}
