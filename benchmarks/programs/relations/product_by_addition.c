// A product by adding one factor as often as the other says.
//
// Safe: behind i rounds the sum is i times the factor. -DANY: any number of threads.
// Broken: the factor is added once more where the other is 5.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *multiply(void *unused)
{
    unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    unsigned product = 0, i = 0;
    while (i < a) {
        product += b;
        i++;
#ifdef BROKEN
        if (i == 5)
            product += b;
#endif
    }
    assert(product == a * b);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, multiply, 0);
    multiply(0);
    return 0;
}
