// Two threads add to one counter until it is 1,000; both note what they have added.
//
// Safe: what they noted is the counter. -DANY: any number of threads note in two places.
// Broken: the counter is compared outside the lock, so that it may go beyond.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter, of_first, of_second;

void *first(void *unused)
{
    int more = 1;
    while (more) {
        pthread_mutex_lock(&lock);
        if (counter < 1000) {
            counter++;
            of_first++;
        } else
            more = 0;
        assert(counter <= 1000);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *second(void *unused)
{
#ifdef BROKEN
    while (counter < 1000) {
        pthread_mutex_lock(&lock);
        counter++;
        of_second++;
        pthread_mutex_unlock(&lock);
    }
#else
    int more = 1;
    while (more) {
        pthread_mutex_lock(&lock);
        if (counter < 1000) {
            counter++;
            of_second++;
        } else
            more = 0;
        pthread_mutex_unlock(&lock);
    }
#endif
    return unused;
}

int main(void)
{
    pthread_t a, b;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&a, 0, first, 0);
        pthread_create(&b, 0, second, 0);
    }
    pthread_mutex_lock(&lock);
    assert(of_first + of_second == counter && counter <= 1000);
    pthread_mutex_unlock(&lock);
#else
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 1000 && of_first + of_second == 1000);
#endif
    return 0;
}
