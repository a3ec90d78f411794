/* A store that waits as long as another thread's store does, and goes round no cycle that comes through each thread
 * once: `a = 1` can be the last to reach memory, although `first` finds b == 0, only while `a = 2` waits behind `y = 1`.
 * The way from the load of b back to `a = 1` leads through `second` by its loads, through `third`, and through
 * `second` again by its stores. With -DFENCE_FIRST, -DFENCE_SECOND nothing waits in that thread while it loads; under
 * PSO `a = 2` may reach memory before `y = 1`, and -DFENCE_FIRST is of no use.
 *
 * Assertion: not all threads have read what they read in that run.
 *
 *     sapa check --mm tso twice_through_a_thread.c
 */
#include <assert.h>
#include <pthread.h>

#if defined FENCE_FIRST
#define FIRST __sync_synchronize()
#else
#define FIRST
#endif
#if defined FENCE_SECOND
#define SECOND __sync_synchronize()
#else
#define SECOND
#endif

int a = 0, b = 0, p = 0, q = 0, y = 0;
int first_b, second_p, second_q, third_y;

void *first(void *arg)
{
    a = 1;
    FIRST;
    first_b = b;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    a = 2;
    SECOND;
    second_p = p;
    second_q = q;
    return 0;
}

void *third(void *arg)
{
    q = 1;
    __sync_synchronize();
    third_y = y;
    return 0;
}

void *fourth(void *arg)
{
    b = 1;
    __sync_synchronize();
    p = 1;
    return 0;
}

int main(void)
{
    pthread_t t1, t2, t3, t4;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_create(&t3, 0, third, 0);
    pthread_create(&t4, 0, fourth, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    pthread_join(t4, 0);
    assert(!(first_b == 0 && second_p == 1 && second_q == 0 && third_y == 0 && a == 1));
    return 0;
}
