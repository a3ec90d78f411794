// A buffer between a low and a high mark: the pump is switched on at the one and off at the other.
//
// Safe: the level is at most 90, since the pump is off there. -DANY: any number of users.
// Broken: the pump is switched off at 91.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int level = 50, pumping;

void *pump(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (pumping)
            level++;
        if (level <= 20)
            pumping = 1;
#ifdef BROKEN
        if (level > 90)
#else
        if (level >= 90)
#endif
            pumping = 0;
        assert(level <= 90);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *use(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (level > 0)
            level--;
        assert(level >= 0);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, pump, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, use, 0);
    return 0;
}
