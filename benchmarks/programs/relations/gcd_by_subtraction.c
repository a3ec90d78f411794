// Two threads find a greatest common divisor: one subtracts where the first number is larger, one where the second is.
//
// Safe: what is subtracted is smaller, so that both stay positive. -DANY: any number of threads of both kinds.
// Broken: the second one also subtracts equals.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int a, b;

void *first(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (a > b)
            a -= b;
        assert(a > 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *second(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (b >= a)
#else
        if (b > a)
#endif
            b -= a;
        assert(b > 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    a = __VERIFIER_nondet_int();
    b = __VERIFIER_nondet_int();
    if (a <= 0 || b <= 0)
        return 0;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, first, 0);
        pthread_create(&thread, 0, second, 0);
    }
#else
    pthread_create(&thread, 0, first, 0);
    pthread_create(&thread, 0, second, 0);
#endif
    return 0;
}
