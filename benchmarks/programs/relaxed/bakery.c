/* Lamport's bakery for two threads. After Lamport: A new solution of Dijkstra's concurrent programming problem (1974)
 *
 * Assertion: nobody else is in the critical section.
 * The numbers grow without end: with numbers that wrap around, the algorithm fails.
 *
 *     sapa check bakery.c --threads 2 --signed-overflow absent
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int choosing0 = 0, choosing1 = 0, number0 = 0, number1 = 0;
int __unbuffered_inside = 0;

void *first(void *arg)
{
    while (1) {
        choosing0 = 1;
        FENCE(0);
        number0 = number1 + 1;
        FENCE(1);
        choosing0 = 0;
        FENCE(2);
        while (choosing1) {
        }
        while (number1 != 0 && number1 < number0) {
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        number0 = 0;
        FENCE(3);
    }
}

void *second(void *arg)
{
    while (1) {
        choosing1 = 1;
        FENCE(4);
        number1 = number0 + 1;
        FENCE(5);
        choosing1 = 0;
        FENCE(6);
        while (choosing0) {
        }
        while (number0 != 0 && number0 <= number1) {
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        number1 = 0;
        FENCE(7);
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
