/* Pair in a structure, safe. After Herlihy and Shavit: The art of multiprocessor programming (2008)
 *
 * Assertion: both members are the same outside the lock's sections.
 *
 *     sapa check struct_pair_safe.c
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct pair {
    int left;
    int right;
} pair = {0, 0};

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    assert(pair.left == pair.right);
    pair.left = 1 - pair.left;
    pair.right = 1 - pair.right;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
