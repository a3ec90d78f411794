/* Objects of one thread do not wait: a store to one that is gone does not hit what lies there next.
 *
 *     sapa check own_objects.c -DLOOP
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

_Thread_local int own = 0;
int shared = 0;

int __VERIFIER_nondet_int(void);

static int called(int value)
{
    int array[2] = {0, 0};
    int i = __VERIFIER_nondet_int() & 1;

    array[i] = value;
    return array[0] + array[1];
}

void *thread(void *arg)
{
#if defined LOOP
    for (int n = 1; n <= 2; n++) {
        int array[2];
        int i = __VERIFIER_nondet_int() & 1;

        array[0] = 0;
        array[1] = 0;
        array[i] = n;
        shared = n;
        assert(array[0] + array[1] == n);
    }
#elif defined CALLED
    assert(called(1) == 1);
    shared = 1;
    assert(called(2) == 2);
#elif defined THREAD_LOCAL
    int *pointer = &own;

    assert(own == 0);
    *pointer = 1;
    shared = 1;
    assert(own == 1);
#elif defined FREED
    int *object = malloc(sizeof *object), *next;

    *object = 1;
    free(object);
    next = malloc(sizeof *next);
    *next = 2;
    shared = 1;
    assert(*next == 2);
#endif
    return 0;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, 0, thread, 0);
    pthread_create(&t1, 0, thread, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
}
