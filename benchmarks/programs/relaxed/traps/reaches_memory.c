/* Stores reach memory without a fence, whatever their thread does next: also if it does nothing more.
 *
 * Assertion: the store is never seen. It fails in all models.
 *
 *     sapa check reaches_memory.c -DENDLESS_LOOP
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x = 0, y = 0, z = 0;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void __VERIFIER_assume(int);

void *writer(void *arg)
{
    int seen = 0, array[2];

    x = 1;
#if defined ASSUMPTION
    __VERIFIER_assume(0);
#elif defined ASSUMPTION_OF_MEMORY
    __VERIFIER_assume(z == 1);
#elif defined ENDLESS_LOOP
    while (1) {
    }
#elif defined WAITING
    while (!y) {
    }
#elif defined WAITING_BEHIND_STORES
    z = 1;
    while (!y) {
        z = 2;
    }
#elif defined DEADLOCK
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
#elif defined UNREACHABLE
    __builtin_unreachable();
#elif defined INDEX
    array[seen + 7] = 1;
#elif defined END
    return 0;
#elif defined EXIT
    pthread_exit(0);
#endif
    return 0;
}

void *reader(void *arg)
{
    while (!x) {
    }
    y = 1;
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, reader, 0);
    pthread_create(&t, 0, writer, 0);
    while (1) {
    }
}
