// Threads count for themselves, and add ten to the global count whenever they have ten.
//
// Safe: the global count is a multiple of ten. -DANY: any number of threads.
// Broken: a thread that ends adds what it has left.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int global;

void *count(void *unused)
{
    int local = 0;
    while (__VERIFIER_nondet_int()) {
        local++;
        if (local == 10) {
            pthread_mutex_lock(&lock);
            if (global < 1000000000)
                global += local;
            assert(global % 10 == 0);
            pthread_mutex_unlock(&lock);
            local = 0;
        }
        assert(local < 10);
    }
#ifdef BROKEN
    pthread_mutex_lock(&lock);
    global += local;
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, count, 0);
#else
    pthread_create(&thread, 0, count, 0);
    pthread_create(&thread, 0, count, 0);
#endif
    return 0;
}
