/* Store buffering over objects that are not static: on the heap, and locals of main that threads know of.
 *
 * Stores to them wait as others do: it fails under TSO and PSO.
 *
 *     sapa check objects_of_others.c -DHEAP
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int *own, *other;
    int seen;
};

void *thread(void *arg)
{
    struct pair *pair = arg;
    int seen;

    *pair->own = 1;
    seen = *pair->other;
    pair->seen = seen;
    return 0;
}

int main(void)
{
#if defined HEAP
    int *x = malloc(sizeof *x), *y = malloc(sizeof *y);
#elif defined LOCALS_OF_MAIN
    int cells[2];
    int *x = &cells[0], *y = &cells[1];
#endif
    struct pair one, other;
    pthread_t t0, t1;

    *x = 0;
    *y = 0;
    one.own = x;
    one.other = y;
    other.own = y;
    other.other = x;
    pthread_create(&t0, 0, thread, &one);
    pthread_create(&t1, 0, thread, &other);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(one.seen == 1 || other.seen == 1);
}
