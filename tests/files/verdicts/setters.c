// precise: SUCCESSFUL --threads 0
// What matters to no run is still checked: setters fail for values that there are not.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

int main(void) {
    pthread_attr_t thread;
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    int state;
    pthread_attr_init(&thread);
    pthread_mutexattr_init(&mutex);
    pthread_condattr_init(&condition);
    __CPROVER_assert(pthread_attr_setdetachstate(&thread, PTHREAD_CREATE_DETACHED) == 0, "state");
    __CPROVER_assert(pthread_attr_setdetachstate(&thread, 2) == EINVAL, "no state");
    int result = pthread_attr_setdetachstate(&thread, state);
    __CPROVER_assert(result == (state == 0 || state == 1 ? 0 : EINVAL), "any state");
    __CPROVER_assert(pthread_attr_setscope(&thread, PTHREAD_SCOPE_SYSTEM) == 0, "scope");
    __CPROVER_assert(pthread_attr_setscope(&thread, PTHREAD_SCOPE_PROCESS) == ENOTSUP, "scope");
    __CPROVER_assert(pthread_attr_setscope(&thread, 2) == EINVAL, "no scope");
    __CPROVER_assert(pthread_setconcurrency(4) == 0, "level");
    __CPROVER_assert(pthread_setconcurrency(-1) == EINVAL, "no level");
    __CPROVER_assert(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED) == 0, "shared");
    __CPROVER_assert(pthread_mutexattr_setpshared(&mutex, 2) == EINVAL, "neither");
    __CPROVER_assert(pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT) == 0, "protocol");
    __CPROVER_assert(pthread_mutexattr_setprotocol(&mutex, 99) == EINVAL, "no protocol");
    __CPROVER_assert(pthread_condattr_setclock(&condition, CLOCK_MONOTONIC) == 0, "clock");
    __CPROVER_assert(pthread_condattr_setclock(&condition, 99) == EINVAL, "no clock");
    __CPROVER_assert(pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_PRIVATE) == 0, "own");
    __CPROVER_assert(pthread_condattr_setpshared(&condition, -1) == EINVAL, "neither");
    __CPROVER_assert(pthread_setname_np(pthread_self(), "fifteen letters") == 0, "name");
    __CPROVER_assert(pthread_setname_np(pthread_self(), "sixteen  letters") == ERANGE, "no name");
}
