// A lift between floor 0 and floor 9; who waits at a floor calls it.
//
// Safe: it goes up where it is below the call, down where it is above. -DANY: any number of callers.
// Broken: the highest floor that can be called is 10.
#include <assert.h>
#include <pthread.h>

#define FLOORS 10

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int floor_now, called;
int up, down;

void *lift(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (floor_now < called) {
            floor_now++;
            up++;
        } else if (floor_now > called) {
            floor_now--;
            down++;
        }
        assert(floor_now >= 0 && floor_now < FLOORS);
        assert(up - down == floor_now);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *caller(void *unused)
{
    for (;;) {
        int from = __VERIFIER_nondet_int();
#ifdef BROKEN
        if (from < 0 || from > FLOORS)
#else
        if (from < 0 || from >= FLOORS)
#endif
            continue;
        pthread_mutex_lock(&lock);
        called = from;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, lift, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, caller, 0);
    return 0;
}
