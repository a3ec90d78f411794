// precise: FAILED --threads 1
// The old state is stored.
#include <pthread.h>

int main(void) {
    int old = 5;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    __CPROVER_assert(old == 5, "it is 0 now");
}
