// Blocks of eight are handed out of a range; nobody gets a part of a block.
//
// Safe: where a block begins is a multiple of eight below 8,000. -DANY: any number of threads.
// Broken: a thread gives back the second half of its block.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned next_block;

void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (next_block >= 8000) {
            pthread_mutex_unlock(&lock);
            break;
        }
        unsigned mine = next_block;
        next_block += 8;
#ifdef BROKEN
        if (mine == 24)
            next_block -= 4;
#endif
        pthread_mutex_unlock(&lock);
        assert(mine % 8 == 0 && mine + 8 <= 8000);
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
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, 0, work, 0);
#endif
    return 0;
}
