// covers: attributes-and-signals
// expect: successful
// threads: 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

pthread_spinlock_t spin;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

void *adds(void *argument)
{
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
    return argument;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_rwlockattr_t of_locks;
    pthread_t thread;
    struct timespec until = {2000000000, 0};
    sigset_t set;
    int scope = 7;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER) == 0);
    assert(pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED) == 0);
    assert(pthread_attr_setguardsize(&attributes, 4096) == 0);
    assert(pthread_attr_getscope(&attributes, &scope) == 0 && scope == PTHREAD_SCOPE_SYSTEM);
    pthread_rwlockattr_init(&of_locks);
    assert(pthread_rwlockattr_setkind_np(&of_locks, 9) != 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigismember(&set, SIGUSR1) == 1 && sigismember(&set, SIGINT) == 0);
    assert(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
    assert(pthread_mutex_clocklock(&mutex, 9, &until) != 0);
    assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    pthread_create(&thread, &attributes, adds, 0);
    pthread_join(thread, 0);
    assert(count == 1);
    pthread_spin_destroy(&spin);
    pthread_attr_destroy(&attributes);
    return 0;
}
