// precise: FAILED
// A user that sees a reference takes its own later.
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
    if (references > 0 && references < INT_MAX) {
        pthread_mutex_lock(&m);
        references++;
        pthread_mutex_unlock(&m);
        assert(!dead);
        put();
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
