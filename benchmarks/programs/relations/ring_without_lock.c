// One producer, one consumer, and two counters of which each is written by one of them only.
//
// Safe: what the consumer finds was put, and the producer does not pass it by more than 8. (Unbounded numbers would need locks.)
// Broken: the consumer takes before it looks.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint head, tail;

void *put(void *unused)
{
    for (;;) {
        unsigned h = head, t = tail;
        if (h - t < 8)
            head = h + 1;
        assert(head - tail <= 8);
    }
    return unused;
}

void *take(void *unused)
{
    for (;;) {
        unsigned t = tail;
#ifdef BROKEN
        tail = t + 1;
        if (head == t)
            tail = t;
#else
        if (head != t)
            tail = t + 1;
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, put, 0);
    pthread_create(&thread, 0, take, 0);
    return 0;
}
