// precise: FAILED --threads 1
// Which way `iswalpha` and `towupper` send the program does not matter to the failure.
#include <pthread.h>
#include <wctype.h>

int logged, balance;

void *deposit(void *unused) {
    int seen = balance;
    if (iswalpha(L'x'))
        logged++;
    balance = seen + 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, deposit, 0);
    logged = towupper(L'x') == L'X' ? 1 : 2;
    deposit(0);
    pthread_join(t, 0);
    __CPROVER_assert(balance == 2 || logged == 7, "both count");
}
