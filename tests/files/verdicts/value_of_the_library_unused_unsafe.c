// precise: FAILED --threads 1
// The failure is there whatever `towupper` and `a64l` return; the other assertions are not decided.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <wctype.h>

int balance;

void *deposit(void *unused) {
    int seen = balance;
    balance = seen + 1;
    return 0;
}

int main(void) {
    unsigned upper = towupper(L'q');
    __CPROVER_assert(upper == L'Q', "upper case");
    long number = a64l("z");
    pthread_t t;
    pthread_create(&t, 0, deposit, 0);
    deposit(0);
    pthread_join(t, 0);
    __CPROVER_assert(balance == 2, "both count");
    __CPROVER_assert(number > 0, "a digit");
}
