// Frames numbered modulo eight: no more than four are not confirmed.
//
// Safe: the distance of the numbers modulo eight is at most four. -DANY: any number of senders and receivers.
// Broken: the distance is computed without the modulus.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned next_frame, expected, open_frames;

void *send(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if ((int)next_frame - (int)expected < 4) {
#else
        if (((next_frame - expected) & 7) < 4) {
#endif
            next_frame = (next_frame + 1) & 7;
            open_frames++;
        }
        assert(open_frames <= 4);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *confirm(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (next_frame != expected) {
            expected = (expected + 1) & 7;
            open_frames--;
        }
        assert(((next_frame - expected) & 7) == open_frames);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, send, 0);
        pthread_create(&thread, 0, confirm, 0);
    }
#else
    pthread_create(&thread, 0, send, 0);
    pthread_create(&thread, 0, confirm, 0);
#endif
    return 0;
}
