// A sequence lock: a writer makes the number odd, writes both parts, and makes it even again; readers begin anew where
// the number has changed.
//
// Safe: a reader that finds the same even number twice has read parts that belong together. -DANY: any number of readers.
// Broken: the writer makes the number even before it writes the second part.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);

atomic_ulong sequence;
atomic_int left, right;

void *write(void *unused)
{
    for (int value = 1; value < 1000; value++) {
        sequence++;
        assert(sequence % 2 == 1);
        left = value;
#ifdef BROKEN
        sequence++;
        right = value;
#else
        right = value;
        sequence++;
#endif
    }
    return unused;
}

void *read(void *unused)
{
    for (;;) {
        unsigned long before = sequence;
        if (before % 2 == 1)
            continue;
        int l = left, r = right;
        if (sequence == before)
            assert(l == r);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, read, 0);
    return 0;
}
