// A number is divided by seven by taking seven away as long as that can be done.
//
// Safe: seven times the quotient and the rest are the number, and the rest is below seven. -DANY: any number of threads.
// Broken: it stops where seven are left.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *divide(void *unused)
{
    unsigned number = __VERIFIER_nondet_int();
    unsigned rest = number, quotient = 0;
#ifdef BROKEN
    while (rest > 7) {
#else
    while (rest >= 7) {
#endif
        rest -= 7;
        quotient++;
    }
    assert(number == 7 * quotient + rest);
    assert(rest < 7);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, divide, 0);
    divide(0);
    return 0;
}
