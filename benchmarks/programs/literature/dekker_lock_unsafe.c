/* Dekker's lock for two roles, unsafe. After Dijkstra: Over de sequentialiteit van procesbeschrijvingen (1962)
 *
 * Assertion: at most one is inside.
 * Bug: a flag is raised after the other was looked at.
 *
 *     sapa check dekker_lock_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int flag0 = 0, flag1 = 0, turn = 0, taken0 = 0, taken1 = 0;
int inside = 0;

void first(void)
{
    while (flag1) {
    }
    flag0 = 1;
    assert(inside == 0);
    inside = 1;
    inside = 0;
    flag0 = 0;
}

void second(void)
{
    while (flag0) {
    }
    flag1 = 1;
    assert(inside == 0);
    inside = 1;
    inside = 0;
    flag1 = 0;
}

void *worker(void *arg)
{
    if (__sync_bool_compare_and_swap(&taken0, 0, 1))
        first();
    else if (__sync_bool_compare_and_swap(&taken1, 0, 1))
        second();
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
