// A set of event flags: two threads set a bit each when their part is ready, a third waits for both bits.
//
// Safe: the bits are set under the mutex after the part is written, so with both bits set both parts are there.
// Broken: the third thread waits for any bit instead of all, and may find a part missing.
#include <assert.h>
#include <pthread.h>

#define ENGINE 1u
#define WHEELS 2u

static unsigned events;
static int engine, wheels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void set_event(unsigned event)
{
    pthread_mutex_lock(&lock);
    events |= event;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for(unsigned wanted)
{
    pthread_mutex_lock(&lock);
#ifdef BROKEN
    while ((events & wanted) == 0)
#else
    while ((events & wanted) != wanted)
#endif
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void *build_engine(void *arg)
{
    (void)arg;
    engine = 1;
    set_event(ENGINE);
    return NULL;
}

static void *build_wheels(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++)
        wheels++;
    set_event(WHEELS);
    return NULL;
}

static void *assemble(void *arg)
{
    (void)arg;
    wait_for(ENGINE | WHEELS);
    assert(engine == 1 && wheels == 4);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, build_engine, NULL);
    pthread_create(&threads[1], NULL, build_wheels, NULL);
    pthread_create(&threads[2], NULL, assemble, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
