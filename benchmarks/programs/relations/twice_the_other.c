// One variable is always twice another, between the steps of any thread.
//
// Safe: both are changed in one section; a reader looks at both in one. -DANY: any number of threads.
// Broken: a thread that sets them back does so in two sections.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *add(void *unused)
{
    while (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&lock);
        x += 1;
        y += 2;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *reset(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        x = 0;
#ifdef BROKEN
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        y = 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *look(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        assert(y == 2 * x);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reset, 0);
    pthread_create(&thread, 0, look, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, add, 0);
    return 0;
}
