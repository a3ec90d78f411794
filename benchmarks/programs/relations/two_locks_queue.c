// A queue with a lock at each end, and a count that both ends change atomically.
//
// Safe: what was put, and what was taken, differ by what is counted and on its way. -DANY: any number of threads.
// Broken: who takes looks at the count before it has the lock of its end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 6

int __VERIFIER_nondet_int(void);

pthread_mutex_t at_head = PTHREAD_MUTEX_INITIALIZER, at_tail = PTHREAD_MUTEX_INITIALIZER;
atomic_int count;

void *put(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&at_tail);
        if (count < ROOM)
            count++;
        assert(count <= ROOM);
        pthread_mutex_unlock(&at_tail);
    }
    return unused;
}

void *take(void *unused)
{
    for (;;) {
#ifdef BROKEN
        int seen = count;
        pthread_mutex_lock(&at_head);
        if (seen > 0)
            count--;
#else
        pthread_mutex_lock(&at_head);
        if (count > 0)
            count--;
#endif
        assert(count >= 0);
        pthread_mutex_unlock(&at_head);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, put, 0);
        pthread_create(&thread, 0, take, 0);
    }
#else
    pthread_create(&thread, 0, put, 0);
    pthread_create(&thread, 0, take, 0);
    pthread_create(&thread, 0, take, 0);
#endif
    return 0;
}
