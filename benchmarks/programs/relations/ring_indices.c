// A ring of ten places: where to put, where to take, and how many are in it.
//
// Safe: the indices stay below the capacity, and are equal only where the ring is empty or full. -DANY: any number of users.
// Broken: the index of the taker wraps one place too late.
#include <assert.h>
#include <pthread.h>

#define CAPACITY 10

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned in, out, count;

void *put(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (count < CAPACITY) {
            assert(in < CAPACITY);
            in = (in + 1) % CAPACITY;
            count++;
            assert(count == CAPACITY || in != out);
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *take(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (count > 0) {
            assert(out < CAPACITY);
#ifdef BROKEN
            out++;
            if (out > CAPACITY)
                out = 0;
#else
            out++;
            if (out == CAPACITY)
                out = 0;
#endif
            count--;
            assert(count == 0 || in != out);
        }
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
