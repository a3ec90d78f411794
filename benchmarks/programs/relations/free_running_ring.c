// A ring of 16 places whose indices are never reduced: their difference is what is in it, also behind a wrap-around.
//
// Safe: one puts if the difference is below 16, another takes if it is not 0. -DANY: any number under a lock.
// Broken: the producer compares after it has put.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned head, tail;

void *put(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        head++;
        if (head - tail > 17)
            head--;
#else
        if (head - tail < 16)
            head++;
#endif
        assert(head - tail <= 16);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *take(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (head != tail)
            tail++;
        assert(head - tail <= 16);
        pthread_mutex_unlock(&lock);
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
#endif
    return 0;
}
