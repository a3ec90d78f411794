/* Dekker's algorithm for two threads. After Dijkstra: Over de sequentialiteit van procesbeschrijvingen (1962)
 *
 * Assertion: nobody else is in the critical section.
 *
 *     sapa check dekker.c --threads 2
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
        while (flag1) {
            if (turn != 0) {
                flag0 = 0;
                FENCE(1);
                while (turn != 0) {
                }
                flag0 = 1;
                FENCE(2);
            }
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        turn = 1;
        FENCE(3);
        flag0 = 0;
        FENCE(4);
    }
}

void *second(void *arg)
{
    while (1) {
        flag1 = 1;
        FENCE(5);
        while (flag0) {
            if (turn != 1) {
                flag1 = 0;
                FENCE(6);
                while (turn != 1) {
                }
                flag1 = 1;
                FENCE(7);
            }
        }
        assert(!__unbuffered_inside);
        __unbuffered_inside = 1;
        __unbuffered_inside = 0;
        turn = 0;
        FENCE(8);
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
