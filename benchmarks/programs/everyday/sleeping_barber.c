// The sleeping barber: three customers, two chairs and a barber; who finds no chair goes away.
//
// Safe: chairs are counted under the lock, so at most two customers wait, and each is shaved or went away.
// Broken: a customer looks for a free chair before taking the lock, and three may sit down.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define CHAIRS 2
#define CUSTOMERS 3

static int waiting, shaved, gone;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t customers, barber_ready;

static void *barber(void *arg)
{
    (void)arg;
    for (;;) {
        sem_wait(&customers);
        pthread_mutex_lock(&lock);
        if (waiting == 0) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        waiting--;
        shaved++;
        pthread_mutex_unlock(&lock);
        sem_post(&barber_ready);
    }
}

static void *customer(void *arg)
{
    (void)arg;
#ifdef BROKEN
    int chair_free = waiting < CHAIRS;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    int chair_free = waiting < CHAIRS;
#endif
    if (!chair_free) {
        gone++;
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    waiting++;
    assert(waiting <= CHAIRS);
    pthread_mutex_unlock(&lock);
    sem_post(&customers);
    sem_wait(&barber_ready);
    return NULL;
}

int main(void)
{
    pthread_t shop, people[CUSTOMERS];
    sem_init(&customers, 0, 0);
    sem_init(&barber_ready, 0, 0);
    pthread_create(&shop, NULL, barber, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&people[i], NULL, customer, NULL);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(people[i], NULL);
    sem_post(&customers);
    pthread_join(shop, NULL);
    assert(shaved + gone == CUSTOMERS);
    return 0;
}
