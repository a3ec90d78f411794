// precise: FAILED --property races -DREADER_LOCKS
// precise: FAILED --property races -DWRITER_LOCKS
// precise: FAILED --property races -DFIRST_EXCHANGES
// precise: SUCCESSFUL --property races -DONCE
// precise: SUCCESSFUL --property races -DENDS
// A lock that has nothing to do with a flag does not order what the flag leads to; nor does a relaxed exchange. `pthread_once` does where
// the routine is done already, and so does the end of a thread from within a function that calls itself.
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;
atomic_int ready;
_Atomic int word;
int data, total;

#ifdef READER_LOCKS
#define STORE memory_order_release
#define LOAD memory_order_relaxed
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_acquire
#endif

void fill(void) { data = 1; }

void down(int depth) {
    if (depth == 0) {
        data = 1;
        pthread_exit(0);
    }
    down(depth - 1);
}

void *first(void *arg) {
#ifdef ONCE
    pthread_once(&once, fill);
    atomic_store_explicit(&ready, 1, STORE);
    return (void *)(long)data;
#elif defined ENDS
    atomic_store_explicit(&ready, 1, STORE);
    down(2);
    return 0;
#else
#ifdef FIRST_EXCHANGES
    atomic_exchange_explicit((_Atomic int *)&data, 1, memory_order_relaxed);
#else
    data = 1;
#endif
#ifdef WRITER_LOCKS
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
#endif
    atomic_store_explicit(&ready, 1, STORE);
    return 0;
#endif
}

int main(void) {
    pthread_t thread;
    int seen = 0;
    pthread_create(&thread, 0, first, 0);
#ifdef ENDS
    seen = atomic_load_explicit(&ready, LOAD);
    pthread_join(thread, 0);
    return seen + data;
#elif defined ONCE
    if (atomic_load_explicit(&ready, LOAD)) {
        pthread_once(&once, fill);
        seen = data;
    }
#else
    if (atomic_load_explicit(&ready, LOAD)) {
#ifdef READER_LOCKS
        pthread_mutex_lock(&lock);
        seen = total + data;
        pthread_mutex_unlock(&lock);
#else
        seen = data;
#endif
    }
#endif
    pthread_join(thread, 0);
    return seen;
}
