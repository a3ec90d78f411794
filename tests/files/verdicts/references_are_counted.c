// precise: SUCCESSFUL
// The creator drops its reference while users come and go: an object is dead when nobody has one.
#include <assert.h>
#include <limits.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int references = 1, dead;

void put(void)
{
    pthread_mutex_lock(&m);
    references--;
    if (references == 0)
        dead = 1;
    pthread_mutex_unlock(&m);
}

void *user(void *argument)
{
    pthread_mutex_lock(&m);
    if (references > 0 && references < INT_MAX) {
        references++;
        pthread_mutex_unlock(&m);
        assert(!dead);
        put();
    } else {
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *creator(void *argument)
{
    put();
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, creator, 0);
    while (1)
        pthread_create(&t, 0, user, 0);
}
