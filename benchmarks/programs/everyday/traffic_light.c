// A controller switches the lights of a crossing; a car from each of two roads drives on when its light is green.
//
// Safe: a car looks at its light and enters under the lock, and the controller waits until the crossing is empty: one at a time.
// Broken: the controller does not wait, and a car from the other road may enter.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

enum light { RED, GREEN };

static enum light lights[2] = { GREEN, RED };
static int on_crossing[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *control(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    lights[0] = RED;
#ifndef BROKEN
    while (on_crossing[0] > 0)
        pthread_cond_wait(&changed, &lock);
#endif
    lights[1] = GREEN;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *drive(void *arg)
{
    int road = *(int *)arg;
    pthread_mutex_lock(&lock);
    if (lights[road] == RED && road == 0) {
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    while (lights[road] == RED)
        pthread_cond_wait(&changed, &lock);
    on_crossing[road]++;
    assert(on_crossing[1 - road] == 0);
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    on_crossing[road]--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t controller, cars[2];
    int roads[2] = { 0, 1 };
    pthread_create(&controller, NULL, control, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&cars[i], NULL, drive, &roads[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(cars[i], NULL);
    pthread_join(controller, NULL);
    return 0;
}
