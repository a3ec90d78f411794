// A unit of `mutex_kind_of_another_unit.c`.
#include <pthread.h>

pthread_mutex_t mutex;

void make(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
}
