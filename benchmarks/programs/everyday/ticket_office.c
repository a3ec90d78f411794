// Two ticket offices sell the same ten seats until none is left.
//
// Safe: a seat is looked for and sold under one lock, so each seat is sold once, and both offices sold ten together.
// Broken: an office checks that seats are left before it takes the lock, and the eleventh ticket may be sold.
#include <assert.h>
#include <pthread.h>

#define SEATS 10

static int seats_left = SEATS;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sell(void *arg)
{
    int *sold = arg;
    for (;;) {
#ifdef BROKEN
        if (seats_left == 0)
            return NULL;
        pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        if (seats_left == 0) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
#endif
        seats_left--;
        assert(seats_left >= 0);
        (*sold)++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t offices[2];
    int sold[2] = { 0, 0 };
    for (int i = 0; i < 2; i++)
        pthread_create(&offices[i], NULL, sell, &sold[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(offices[i], NULL);
    assert(sold[0] + sold[1] == SEATS);
    return 0;
}
