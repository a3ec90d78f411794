// Producers and consumers count in loops without end; the stock is what was produced and not consumed.
//
// Safe: a consumer takes only where the stock is not empty. -DANY: any number of producers and consumers.
// Broken: it looks at the stock before it has the lock.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned produced, consumed;
int stock;

void *producer(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (stock < 20) {
            stock++;
            produced++;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *consumer(void *unused)
{
    for (;;) {
#ifdef BROKEN
        if (stock == 0)
            continue;
        pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        if (stock == 0) {
            pthread_mutex_unlock(&lock);
            continue;
        }
#endif
        stock--;
        consumed++;
        assert(stock >= 0);
        assert(produced - consumed == (unsigned)stock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, producer, 0);
        pthread_create(&thread, 0, consumer, 0);
    }
#else
    pthread_create(&thread, 0, producer, 0);
    pthread_create(&thread, 0, consumer, 0);
    pthread_create(&thread, 0, consumer, 0);
#endif
    return 0;
}
