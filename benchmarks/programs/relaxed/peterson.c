/* Peterson's algorithm for two threads. After Peterson: Myths about the mutual exclusion problem (1981)
 *
 * Assertion: nobody else is in the critical section.
 *
 *     sapa check peterson.c --threads 2
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int flag0 = 0, flag1 = 0, turn = 0;
int __unbuffered_inside = 0;

void *first(void *arg)
{
    while (1) {
        flag0 = 1;
        FENCE(0);
        turn = 1;
        FENCE(1);
        while (flag1 && turn == 1) {
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        flag0 = 0;
        FENCE(2);
    }
}

void *second(void *arg)
{
    while (1) {
        flag1 = 1;
        FENCE(3);
        turn = 0;
        FENCE(4);
        while (flag0 && turn == 0) {
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        flag1 = 0;
        FENCE(5);
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
