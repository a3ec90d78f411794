// Where no few predicates refute a trace, a round takes those with which the abstraction sees one more step of it.
// An element of an array at an index that is not known has dozens of preconditions; all of them were taken (44).
// RUN: sapa check -v --engine auto --iterations 6 -DBROKEN %s -I%d/../../../benchmarks/programs/everyday 2>&1 | grep -o '^iteration [0-9]: [0-9]* predicates'
// EXIT: 0
// check: iteration 4: 3 predicates
// check: iteration 5: 7 predicates
// check: iteration 6: 8 predicates
#define main use_ring
#include "ring_under_mutex.c"
#undef main

/* Who looks without the lock may see what stands between its accesses. */
static void *watch(void *arg)
{
    return ring[head & 3] > count ? arg : NULL;
}

int main(void)
{
    pthread_t watching;
    pthread_create(&watching, NULL, watch, NULL);
    return use_ring();
}
