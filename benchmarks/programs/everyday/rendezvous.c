// A rendezvous by two semaphores: each of two threads does its first part before the other does its second.
//
// Safe: each posts its own semaphore after its first part and then waits for the other's.
// Broken: the second thread does not wait.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t a_arrived, b_arrived;
static int a_value, b_value;

static void *run_a(void *arg)
{
    (void)arg;
    a_value = 5;
    sem_post(&a_arrived);
    sem_wait(&b_arrived);
    assert(b_value == 6);
    return NULL;
}

static void *run_b(void *arg)
{
    (void)arg;
    b_value = 6;
    sem_post(&b_arrived);
#ifndef BROKEN
    sem_wait(&a_arrived);
#endif
    assert(a_value == 5);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&a_arrived, 0, 0);
    sem_init(&b_arrived, 0, 0);
    pthread_create(&a, NULL, run_a, NULL);
    pthread_create(&b, NULL, run_b, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
