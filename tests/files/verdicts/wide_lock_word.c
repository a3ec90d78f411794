// sound: FAILED
// A reader that does not look whether a writer is there; the word is wider than what bounds are known of.
#include <assert.h>
#include <pthread.h>

extern int nondet(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

#define WORD ((unsigned __int128)1 << 100)

unsigned __int128 lock;
int first, second;

void *writer(void *argument)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(lock == 0);
    lock = WORD;
    __VERIFIER_atomic_end();
    first++;
    second++;
    __VERIFIER_atomic_begin();
    lock = 0;
    __VERIFIER_atomic_end();
    return 0;
}

void *reader(void *argument)
{
    __VERIFIER_atomic_begin();
    lock = lock + 1;
    __VERIFIER_atomic_end();
    assert(first == second);
    __VERIFIER_atomic_begin();
    lock = lock - 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (nondet()) {
        pthread_create(&thread, 0, writer, 0);
        pthread_create(&thread, 0, reader, 0);
    }
    return 0;
}
