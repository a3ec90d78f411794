// Two threads look for a number each in a sorted array by halving, and hand its place back.
//
// Safe: the number lies in [low, high) in each round, and the interval shrinks; 5 is at place 2, and 20 is nowhere: -1.
// Broken: the lower half ends two places too early, so that 5 at place 2 is never looked at.
#include <assert.h>
#include <pthread.h>

#define LENGTH 8

static const int sorted[LENGTH] = { 1, 3, 5, 7, 9, 11, 13, 15 };

struct query {
    int wanted;
    int place;
};

static void *search(void *arg)
{
    struct query *query = arg;
    int low = 0, high = LENGTH;
    query->place = -1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] == query->wanted) {
            query->place = middle;
            return NULL;
        }
        if (sorted[middle] < query->wanted)
            low = middle + 1;
        else
#ifdef BROKEN
            high = middle - 2;
#else
            high = middle;
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct query there = { 5, 0 };
    struct query absent = { 20, 0 };
    pthread_create(&a, NULL, search, &there);
    pthread_create(&b, NULL, search, &absent);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(there.place == 2);
    assert(absent.place == -1);
    return 0;
}
