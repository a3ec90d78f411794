// precise: SUCCESSFUL --property bounds
// precise: FAILED --property bounds -DATOMIC
// precise: FAILED --property bounds -DLOCK
// Atomic operations and locks access what their argument names; here it would be the next member.
#include <pthread.h>
#include <stdatomic.h>
struct {
    atomic_int counters[2];
    int other;
} s;
struct {
    pthread_mutex_t locks[2], other;
} l;
int __VERIFIER_nondet_int(void);

int main(void) {
    int i = __VERIFIER_nondet_int();
#if defined ATOMIC || defined LOCK
    if (i < 0 || i > 2)
#else
    if (i < 0 || i > 1)
#endif
        return 0;
#ifndef LOCK
    atomic_store(&s.counters[i], 1);
#endif
#ifndef ATOMIC
    pthread_mutex_lock(&l.locks[i]);
    pthread_mutex_unlock(&l.locks[i]);
#endif
    return 0;
}
