// A thermostat for two heaters: each heats or cools by a degree a step, as the switch says, which turns at 18 and 22 degrees.
//
// Safe: a step looks at the switch, changes one degree and turns the switch, all under the lock: never below 18 or above 22.
// Broken: a heater looks at the switch before it takes the lock, and may heat once more after the switch was turned.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define STEPS 8

static int degrees = 20;
static bool heating = true;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void control(void)
{
    if (degrees >= 22)
        heating = false;
    else if (degrees <= 18)
        heating = true;
}

static void *heat(void *arg)
{
    (void)arg;
    for (int i = 0; i < STEPS; i++) {
#ifdef BROKEN
        int change = heating ? 1 : -1;
        pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        int change = heating ? 1 : -1;
#endif
        degrees += change;
        assert(degrees >= 18 && degrees <= 22);
        control();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, heat, NULL);
    pthread_create(&b, NULL, heat, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
