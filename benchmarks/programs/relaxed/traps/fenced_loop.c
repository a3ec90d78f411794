/* Store buffering in a loop with a fence behind each store: an entry that has left a buffer leaves nothing behind, so
 * that there are as many states for large buffers as for small ones.
 *
 * Assertion: nobody else is in the critical section. Who sees the other's flag tries again.
 *
 *     sapa check fenced_loop.c
 */
#include <assert.h>
#include <pthread.h>

int flag0 = 0, flag1 = 0;
int __unbuffered_inside = 0;

void *first(void *arg)
{
    while (1) {
        flag0 = 1;
        __sync_synchronize();
        if (!flag1) {
            assert(!__unbuffered_inside);
            __unbuffered_inside = 1;
            __unbuffered_inside = 0;
        }
        flag0 = 0;
        __sync_synchronize();
    }
}

void *second(void *arg)
{
    while (1) {
        flag1 = 1;
        __sync_synchronize();
        if (!flag0) {
            assert(!__unbuffered_inside);
            __unbuffered_inside = 1;
            __unbuffered_inside = 0;
        }
        flag1 = 0;
        __sync_synchronize();
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
