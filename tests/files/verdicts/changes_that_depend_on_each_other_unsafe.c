// precise: FAILED
// precise: FAILED --engine thread-modular
// What one thread does depends on what another did: who asserts must be told of both.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int ready = 0, done = 0;

void *announce(void *unused) {
    ready = 1;
    return 0;
}

void *act(void *unused) {
    __VERIFIER_atomic_begin();
    if (ready == 1)
        done = 1;
    __VERIFIER_atomic_end();
    return 0;
}

void *begin_anew(void *unused) {
    __VERIFIER_atomic_begin();
    done = 0;
    ready = 0;
    __VERIFIER_atomic_end();
    assert(done == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) {
        pthread_create(&thread, 0, announce, 0);
        pthread_create(&thread, 0, act, 0);
        pthread_create(&thread, 0, begin_anew, 0);
    }
}
