/* A queue in an array, without locks, for one producer and one consumer. After Lamport: Specifying concurrent program
 * modules (1983)
 *
 * Queued are the numbers of records; 0 stands in free places, of which there is always one.
 * Assertion: places are accessed within the array, and the consumer takes the number of a record.
 *
 *     sapa check queue.c --threads 2
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define RECORDS 8

int places[SIZE] = {0};
int head = 0, tail = 0;

unsigned __VERIFIER_nondet_uint(void);

static int after(int place)
{
    return place + 1 == SIZE ? 0 : place + 1;
}

void *producer(void *arg)
{
    int end = 0;

    while (1) {
        int record = 1 + __VERIFIER_nondet_uint() % RECORDS, next = after(end);

        while (next == head) {
        }
        assert(end >= 0 && end < SIZE);
        places[end] = record;
        FENCE(0);
        end = next;
        tail = end;
        FENCE(1);
    }
}

void *consumer(void *arg)
{
    int begin = 0;

    while (1) {
        int record;

        while (begin == tail) {
        }
        assert(begin >= 0 && begin < SIZE);
        record = places[begin];
        assert(record >= 1 && record <= RECORDS);
        places[begin] = 0;
        FENCE(2);
        begin = after(begin);
        head = begin;
        FENCE(3);
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
}
