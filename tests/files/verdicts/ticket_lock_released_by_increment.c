// precise: SUCCESSFUL/SUCCESSFUL/FAILED --signed-overflow absent
// Whoever releases the lock raises the number that is served, and ends. With delayed stores in any order, the next one
// may come before the flag is back.
#include <assert.h>
#include <pthread.h>

int drawn, served, inside;

void *customer(void *argument)
{
    int number = __sync_fetch_and_add(&drawn, 1);
    while (served != number) {
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    served = served + 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, customer, 0);
}
