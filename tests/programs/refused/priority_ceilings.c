// covers: mutexes
// error: priority ceilings of mutexes are not supported

#define _GNU_SOURCE
#include <pthread.h>

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    return pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
}
