// A table of queues, of which each counts what came and what went.
//
// Safe: from none more went than came. -DANY: any number of threads.
// Broken: the queue that is looked at is the one before.
#include <assert.h>
#include <pthread.h>

#define QUEUES 3

int __VERIFIER_nondet_int(void);

struct queue {
    int came, went;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct queue table[QUEUES];

void *come(void *unused)
{
    for (;;) {
        unsigned q = __VERIFIER_nondet_int();
        if (q >= QUEUES)
            continue;
        pthread_mutex_lock(&lock);
        if (table[q].came < 1000000)
            table[q].came++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *go(void *unused)
{
    for (;;) {
        unsigned q = __VERIFIER_nondet_int();
        if (q >= QUEUES)
            continue;
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        unsigned seen = (q + QUEUES - 1) % QUEUES;
#else
        unsigned seen = q;
#endif
        if (table[seen].went < table[seen].came)
            table[q].went++;
        assert(table[q].went <= table[q].came);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, come, 0);
        pthread_create(&thread, 0, go, 0);
    }
#else
    pthread_create(&thread, 0, come, 0);
    pthread_create(&thread, 0, go, 0);
#endif
    return 0;
}
