/* Peterson's lock for two roles, safe. After Peterson: Myths about the mutual exclusion problem (1981)
 *
 * Assertion: at most one is inside.
 *
 *     sapa check peterson_lock_safe.c
 */
#include <assert.h>
#include <pthread.h>

int flag0 = 0, flag1 = 0, turn = 0, taken0 = 0, taken1 = 0;
int inside = 0;

void first(void)
{
    flag0 = 1;
    turn = 1;
    while (flag1 && turn == 1) {
    }
    assert(inside == 0);
    inside = 1;
    inside = 0;
    flag0 = 0;
}

void second(void)
{
    flag1 = 1;
    turn = 0;
    while (flag0 && turn == 0) {
    }
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
