// precise: SUCCESSFUL --property division
// precise: FAILED --property division -DBROKEN
// Whether the divisor is zero is asked before, but it is read again.
#include <pthread.h>
int divisor = 1;
int result;

void *reset(void *unused) {
    divisor = 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, reset, 0);
#ifdef BROKEN
    if (divisor != 0)
        result = 100 / divisor;
#else
    int mine = divisor;
    if (mine != 0)
        result = 100 / mine;
#endif
    pthread_join(thread, 0);
    return 0;
}
