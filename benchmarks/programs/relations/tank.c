// A tank: what has flown in and out, and the level.
//
// Safe: the level is the difference and between 0 and 200. -DANY: any number of pumps of both kinds.
// Broken: a pump that empties takes 5 where there is less.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned long in, out;
int level = 100;

void *fill(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (level + 7 <= 200) {
            level += 7;
            in += 7;
        }
        assert(level <= 200);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *drain(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (level > 0) {
#else
        if (level >= 5) {
#endif
            level -= 5;
            out += 5;
        }
        assert(level >= 0);
        assert((unsigned)level == (unsigned)(100 + in - out));
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, fill, 0);
        pthread_create(&thread, 0, drain, 0);
    }
#else
    pthread_create(&thread, 0, fill, 0);
    pthread_create(&thread, 0, drain, 0);
#endif
    return 0;
}
