// An elevator between floors 0 and 3: three people call it, and its thread drives floor by floor and opens the door.
//
// Safe: the elevator moves only with its door closed and ends when all calls are served, each at the floor called.
// Broken: the door stays open when the elevator goes on.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define FLOORS 4
#define PEOPLE 3

static bool called[FLOORS];
static bool served[FLOORS];
static int floor_now;
static bool door_open;
static int waiting = PEOPLE;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *call(void *arg)
{
    int from = *(int *)arg;
    pthread_mutex_lock(&lock);
    called[from] = true;
    pthread_cond_broadcast(&changed);
    while (!served[from])
        pthread_cond_wait(&changed, &lock);
    waiting--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int next_call(void)
{
    for (int i = 0; i < FLOORS; i++)
        if (called[i])
            return i;
    return -1;
}

static void move(void)
{
    int target = next_call();
    while (floor_now != target) {
        assert(!door_open);
        floor_now += floor_now < target ? 1 : -1;
    }
    door_open = true;
    called[target] = false;
    served[target] = true;
#ifndef BROKEN
    door_open = false;
#endif
}

static void *drive(void *arg)
{
    (void)arg;
    for (int calls = 0; calls < PEOPLE; calls++) {
        pthread_mutex_lock(&lock);
        while (next_call() < 0)
            pthread_cond_wait(&changed, &lock);
        move();
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t elevator, people[PEOPLE];
    int floors[PEOPLE] = { 2, 0, 3 };
    pthread_create(&elevator, NULL, drive, NULL);
    for (int i = 0; i < PEOPLE; i++)
        pthread_create(&people[i], NULL, call, &floors[i]);
    for (int i = 0; i < PEOPLE; i++)
        pthread_join(people[i], NULL);
    pthread_join(elevator, NULL);
    assert(waiting == 0);
    return 0;
}
