// Work that is left is counted down by workers; what each has done is added at its end.
//
// Safe: done and left and in hand are all. -DANY: any number of workers.
// Broken: a worker takes work where none is left.
#include <assert.h>
#include <pthread.h>

#define ALL 300

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int left = ALL, in_hand, done;

void *work(void *unused)
{
    int mine = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (left < 0) {
#else
        if (left == 0) {
#endif
            pthread_mutex_unlock(&lock);
            break;
        }
        left--;
        in_hand++;
        pthread_mutex_unlock(&lock);
        mine++;
        pthread_mutex_lock(&lock);
        in_hand--;
        done++;
        assert(done + left + in_hand == ALL);
        assert(done <= ALL);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, work, 0);
#else
    pthread_create(&thread, 0, work, 0);
    pthread_create(&thread, 0, work, 0);
#endif
    return 0;
}
