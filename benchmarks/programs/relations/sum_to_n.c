// Two threads add the numbers up to 100 from both ends until they meet.
//
// Safe: the sum is 5050. -DANY: each of any number of threads adds up to an n of its own.
// Broken: the number at which they meet is added twice.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int low = 1, high = 100, sum;

#ifdef ANY
void *add(void *unused)
{
    unsigned n = __VERIFIER_nondet_int(), total = 0, i = 0;
    if (n > 1000)
        return unused;
    while (i < n) {
        i++;
        total += i;
#ifdef BROKEN
        if (i == 10)
            total++;
#endif
        assert(2 * total == i * (i + 1));
    }
    return unused;
}
#else
void *from_below(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (low > high) {
            pthread_mutex_unlock(&lock);
            break;
        }
        sum += low++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *from_above(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (low > high) {
            pthread_mutex_unlock(&lock);
            break;
        }
#ifdef BROKEN
        if (low == high)
            sum += low;
#endif
        sum += high--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
#endif

int main(void)
{
    pthread_t a, b;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&a, 0, add, 0);
#else
    pthread_create(&a, 0, from_below, 0);
    pthread_create(&b, 0, from_above, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 5050);
#endif
    return 0;
}
