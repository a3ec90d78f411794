/* Sequence lock, unsafe. After Lameter: Effective synchronization on Linux/NUMA systems (2005)
 *
 * Assertion: a reader that found the same even number twice has seen a consistent pair.
 * Bug: the reader does not look at the number again.
 *
 *     sapa check seqlock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

unsigned sequence = 0;
int writer = 0;
int a = 0;
int b = 0;

int __VERIFIER_nondet_int(void);

void write_pair(void)
{
    if (!__sync_bool_compare_and_swap(&writer, 0, 1))
        return;
    sequence = 1;
    a = 1;
    b = 1;
    sequence = 2;
}

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        write_pair();
    } else {
        unsigned before = sequence;
        int x = a;
        int y = b;

        if (before != 1)
            assert(x == y);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
