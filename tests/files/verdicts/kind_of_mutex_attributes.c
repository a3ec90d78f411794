// precise: SUCCESSFUL --threads 0
#define _GNU_SOURCE
#include <pthread.h>

int main(void) {
    pthread_mutexattr_t attributes;
    int kind = 9;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_gettype(&attributes, &kind);
    __CPROVER_assert(kind == PTHREAD_MUTEX_DEFAULT, "the default");
}
