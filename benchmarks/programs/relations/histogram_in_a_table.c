// A histogram with eight classes in an array; the class is computed from the value.
//
// Safe: each count is at most the number of values. -DANY: any number of threads.
// Broken: values are counted after the class, in a section of their own.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned count[8], values;

void *measure(void *unused)
{
    for (;;) {
        unsigned value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        if (values < 1000000) {
#ifdef BROKEN
            count[value % 8]++;
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
            values++;
#else
            values++;
            count[value % 8]++;
#endif
        }
        assert(count[value % 8] <= values);
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
