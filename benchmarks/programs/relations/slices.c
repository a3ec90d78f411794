// Two threads add up the numbers of one half each, and add the result to the total.
//
// Safe: the numbers below 100 are 4950 together. -DANY: any number of threads add up the slice that they are given.
// Broken: the first slice ends one too early.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total, slices;

struct slice {
    int first, end;
};

void *add(void *arg)
{
    struct slice *slice = arg;
    int sum = 0, numbers = 0;
    for (int i = slice->first; i < slice->end; i++) {
        sum += i;
        numbers++;
    }
    assert(numbers == slice->end - slice->first);
    pthread_mutex_lock(&lock);
    total += sum;
    slices++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a, b;
#ifdef BROKEN
    struct slice low = {0, 49}, high = {50, 100};
#else
    struct slice low = {0, 50}, high = {50, 100};
#endif
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&a, 0, add, &low);
        pthread_create(&b, 0, add, &high);
    }
    add(&low);
    assert(high.first == low.end);
#else
    pthread_create(&a, 0, add, &low);
    pthread_create(&b, 0, add, &high);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(slices == 2);
    assert(total == 4950);
#endif
    return 0;
}
