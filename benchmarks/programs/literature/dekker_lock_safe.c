/* Dekker's lock for two roles, safe. After Dijkstra: Over de sequentialiteit van procesbeschrijvingen (1962)
 *
 * Assertion: at most one is inside.
 *
 *     sapa check dekker_lock_safe.c
 */
#include <assert.h>
#include <pthread.h>

int flag0 = 0, flag1 = 0, turn = 0, taken0 = 0, taken1 = 0;
int inside = 0;

void first(void)
{
    flag0 = 1;
    while (flag1) {
        if (turn != 0) {
            flag0 = 0;
            while (turn != 0) {
            }
            flag0 = 1;
        }
    }
    assert(inside == 0);
    inside = 1;
    inside = 0;
    turn = 1;
    flag0 = 0;
}

void second(void)
{
    flag1 = 1;
    while (flag0) {
        if (turn != 1) {
            flag1 = 0;
            while (turn != 1) {
            }
            flag1 = 1;
        }
    }
    assert(inside == 0);
    inside = 1;
    inside = 0;
    turn = 0;
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
