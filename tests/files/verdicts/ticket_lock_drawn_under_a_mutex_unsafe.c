// precise: FAILED --signed-overflow absent
// The mutex is released between reading the counter and incrementing it, so that two threads may draw one ticket.
#include <assert.h>
#include <pthread.h>

int next_ticket, now_serving, inside;
pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

void *customer(void *argument)
{
    pthread_mutex_lock(&door);
    int mine = next_ticket;
    pthread_mutex_unlock(&door);
    pthread_mutex_lock(&door);
    next_ticket = mine + 1;
    pthread_mutex_unlock(&door);
    while (*(volatile int *)&now_serving != mine)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    __sync_fetch_and_add(&now_serving, 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    while (1)
        pthread_create(&thread, 0, customer, 0);
}
