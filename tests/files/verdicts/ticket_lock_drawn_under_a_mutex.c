// precise: SUCCESSFUL --signed-overflow absent
// A ticket is drawn in one step and the counter grows in another, both under a mutex: in between the ticket is not below the counter.
#include <assert.h>
#include <pthread.h>

int next_ticket, now_serving, inside;
pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

void *customer(void *argument)
{
    pthread_mutex_lock(&door);
    int mine = next_ticket;
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
