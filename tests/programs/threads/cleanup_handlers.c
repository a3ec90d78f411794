// covers: cleanup-handlers
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>
#include <signal.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int cleaned, order;

void unlock(void *argument)
{
    cleaned++;
    pthread_mutex_unlock(argument);
}

void first(void *argument)
{
    assert(order == 1);
    order = 2;
}

void last(void *argument)
{
    assert(order == 0);
    order = 1;
}

void ends(void)
{
    pthread_exit(0);
}

void *works(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    if (argument)
        ends();
    pthread_cleanup_pop(1);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, works, 0);
    assert(pthread_kill(one, 0) >= 0);
    pthread_create(&two, 0, works, &mutex);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(cleaned == 2 && pthread_mutex_trylock(&mutex) == 0);
    pthread_cleanup_push(first, 0);
    pthread_cleanup_push(last, 0);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(0);
    assert(order == 1);
    signal(SIGPIPE, SIG_IGN);
    return 0;
}
