// A reader is ahead of a user by a few blocks, and goes round a file of 240.
//
// Safe: how far it is ahead is counted and at most four. -DANY: any number of users.
// Broken: a user that starts over at the beginning of the file forgets what was read ahead.
#include <assert.h>
#include <pthread.h>

#define BLOCKS 240
#define AHEAD 4

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned reading, using, ahead;

void *reader(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (ahead < AHEAD) {
            reading = reading + 1 == BLOCKS ? 0 : reading + 1;
            ahead++;
        }
        assert(reading < BLOCKS && ahead <= AHEAD);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *user(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (ahead > 0) {
            using = using + 1 == BLOCKS ? 0 : using + 1;
            ahead--;
#ifdef BROKEN
            if (using == 0)
                ahead = 0;
#endif
        }
        assert((using + ahead) % BLOCKS == reading);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    reading = using = BLOCKS - 2;
    pthread_create(&thread, 0, reader, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, user, 0);
    return 0;
}
