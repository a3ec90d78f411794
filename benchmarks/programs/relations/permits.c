// A semaphore made of a mutex and a number of permits; who is inside is counted beside it.
//
// Safe: permits and those inside are five together. -DANY: any number of threads.
// Broken: who leaves gives back two permits where none are left.
#include <assert.h>
#include <pthread.h>

#define ALL 5

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int permits = ALL, inside;

void *visit(void *unused)
{
    for (;;) {
        int entered = 0;
        while (!entered) {
            pthread_mutex_lock(&lock);
            if (permits > 0) {
                permits--;
                inside++;
                entered = 1;
                assert(inside <= ALL);
            }
            pthread_mutex_unlock(&lock);
        }
        pthread_mutex_lock(&lock);
        inside--;
#ifdef BROKEN
        permits += permits == 0 ? 2 : 1;
#else
        permits++;
#endif
        assert(permits + inside == ALL);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, visit, 0);
#else
    for (int i = 0; i < 6; i++)
        pthread_create(&thread, 0, visit, 0);
#endif
    return 0;
}
