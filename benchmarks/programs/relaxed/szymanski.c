/* Szymanski's algorithm for two threads. After Szymanski: A simple solution to Lamport's concurrent programming problem
 * with linear wait (1988)
 *
 * A flag is 0 outside, 1 before the waiting room's door, 3 in the door, 2 in the waiting room, 4 behind the door that
 * closes the room; the first thread goes before the second.
 * Assertion: nobody else is in the critical section.
 *
 *     sapa check szymanski.c --threads 2
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int flag0 = 0, flag1 = 0;
int __unbuffered_inside = 0;

void *first(void *arg)
{
    while (1) {
        int other;

        flag0 = 1;
        FENCE(0);
        while (flag1 >= 3) {
        }
        flag0 = 3;
        FENCE(1);
        if (flag1 == 1) {
            flag0 = 2;
            FENCE(2);
            while (flag1 != 4) {
            }
        }
        flag0 = 4;
        FENCE(3);
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        do {
            other = flag1;
        } while (other == 2 || other == 3);
        flag0 = 0;
        FENCE(4);
    }
}

void *second(void *arg)
{
    while (1) {
        flag1 = 1;
        FENCE(5);
        while (flag0 >= 3) {
        }
        flag1 = 3;
        FENCE(6);
        if (flag0 == 1) {
            flag1 = 2;
            FENCE(7);
            while (flag0 != 4) {
            }
        }
        flag1 = 4;
        FENCE(8);
        while (flag0 >= 2) {
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        flag1 = 0;
        FENCE(9);
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
