// The smallest and the largest of all measurements, and their number.
//
// Safe: the smallest is not above the largest where there is one. -DANY: any number of threads measure.
// Broken: the first measurement sets the smallest only.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int smallest, largest, count;

void *measure(void *unused)
{
    for (;;) {
        int value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        if (count == 0) {
            smallest = value;
#ifndef BROKEN
            largest = value;
#endif
        } else if (value < smallest)
            smallest = value;
        else if (value > largest)
            largest = value;
        if (count < 1000)
            count++;
        assert(smallest <= largest);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, measure, 0);
#else
    pthread_create(&thread, 0, measure, 0);
    pthread_create(&thread, 0, measure, 0);
#endif
    return 0;
}
