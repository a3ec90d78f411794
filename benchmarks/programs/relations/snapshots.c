// A version is published behind a value; readers that see a version know what the value is at least.
//
// Safe: a value is written before its version, and both only grow. -DANY: any number of readers.
// Broken: the version is published first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);

atomic_int value, version;

void *publish(void *unused)
{
    for (int next = 1; next <= 500; next++) {
#ifdef BROKEN
        version = next;
        value = 3 * next;
#else
        value = 3 * next;
        version = next;
#endif
    }
    return unused;
}

void *look(void *unused)
{
    for (;;) {
        int seen = version;
        int now = value;
        assert(now >= 3 * seen);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, look, 0);
    return 0;
}
