// A vector grows by realloc, under a lock.
// Its size never exceeds its capacity; broken, it grows by more than there is room for.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int *data; int size, capacity;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *appender(void *u) {
    pthread_mutex_lock(&lock);
    if (size == capacity) {
        capacity = capacity ? capacity * 2 : 4;
        if (capacity > 1024) { capacity = size; pthread_mutex_unlock(&lock); return u; }
        data = realloc(data, capacity * sizeof *data);
    }
    data[size] = 5;
#ifdef BROKEN
    size += 5;
#else
    size++;
#endif
    assert(size <= capacity);
    pthread_mutex_unlock(&lock);
    return u;
}
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, appender, 0); }
