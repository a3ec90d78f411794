// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// An interval whose ends three operations move: none lets them pass each other.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

int low, high = 10;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void grow(int by)
{
    if (by > 0 && by < 100 && high < 100000)
        high += by;
}

void begin_later(int by)
{
    if (by > 0 && by < 100 && low + by <= high)
        low += by;
}

void end_earlier(int by)
{
#ifdef BROKEN
    if (by > 0 && by < 100)
#else
    if (by > 0 && by < 100 && high - by >= low)
#endif
        high -= by;
}

void *move(void *unused)
{
    while (__VERIFIER_nondet_int()) {
        int by = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        switch (__VERIFIER_nondet_int()) {
        case 0: grow(by); break;
        case 1: begin_later(by); break;
        default: end_earlier(by);
        }
        assert(low <= high);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, move, 0);
    pthread_create(&b, 0, move, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
