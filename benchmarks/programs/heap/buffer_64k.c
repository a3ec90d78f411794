// A buffer of 64 KB is filled under a lock.
// The lock guards the number of bytes; broken, it is moved on too far.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

unsigned char buffer[65536];
int filled;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *writer(void *u) {
    while (1) {
        pthread_mutex_lock(&lock);
        if (filled < 65536) {
            buffer[filled] = 1 + filled % 3;
#ifdef BROKEN
            filled += 65535;
#else
            filled++;
#endif
        }
        assert(filled >= 0 && filled <= 65536);
        pthread_mutex_unlock(&lock);
        if (filled == 65535) buffer[0] = 0;
    }
    return u;
}
int main(void) { pthread_t t; while (1) pthread_create(&t, 0, writer, 0); }
