// Any number of threads share slots of a table, or blocks of the heap: what is asserted of each is proved of one that is followed.
// precise: SUCCESSFUL
// precise: FAILED -DEARLY
// precise: SUCCESSFUL -DPUBLISHED
// precise: FAILED -DPUBLISHED -DEARLY
// precise: SUCCESSFUL -DHANDED
// precise: FAILED -DHANDED -DEARLY
// precise: FAILED -DTWO
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

#if defined PUBLISHED
// A pair is filled before its address is published, and never written again.
struct pair {
    int one, two;
} *_Atomic current;

void *writer(void *unused) {
    struct pair *new = malloc(sizeof *new);
    if (!new)
        return 0;
#ifdef EARLY
    atomic_store(&current, new);
#endif
    new->one = __VERIFIER_nondet_int();
    new->two = new->one;
    atomic_store(&current, new);
    return 0;
}

void *reader(void *unused) {
    struct pair *pair = atomic_load(&current);
    if (pair)
        assert(pair->one == pair->two);
    return 0;
}

#elif defined HANDED
// A range belongs to the thread that it is handed to, which frees it.
struct range {
    int low, high;
};

void *writer(void *argument) {
    struct range *range = argument;
    int low = range->low, high = range->high;
    free(range);
    assert(low <= high);
    return 0;
}

#elif defined TWO
// What holds of each row for itself need not hold of two rows.
int row[4];

void *writer(void *unused) {
    unsigned i = (unsigned)__VERIFIER_nondet_int() % 4;
    row[i] = 1;
    return 0;
}

void *reader(void *unused) {
    unsigned i = (unsigned)__VERIFIER_nondet_int() % 4, j = (unsigned)__VERIFIER_nondet_int() % 4;
    int first = row[i], second = row[j];
    assert(i == j || first == second);
    return 0;
}

#else
// Who brings a slot from empty to filling, or from full to draining, is alone with it.
enum state { EMPTY, FILLING, FULL, DRAINING };
struct slot {
    _Atomic int state;
    int one, two;
} table[8];

struct slot *some_slot(void) { return &table[(unsigned)__VERIFIER_nondet_int() % 8]; }

int take(struct slot *slot, int from, int to) {
    return atomic_compare_exchange_strong(&slot->state, &from, to);
}

void *writer(void *unused) {
    struct slot *slot = some_slot();
    if (take(slot, EMPTY, FILLING)) {
        slot->one = __VERIFIER_nondet_int();
#ifdef EARLY
        atomic_store(&slot->state, FULL);
#endif
        slot->two = slot->one;
        atomic_store(&slot->state, FULL);
    }
    return 0;
}

void *reader(void *unused) {
    struct slot *slot = some_slot();
    if (take(slot, FULL, DRAINING)) {
        assert(slot->one == slot->two);
        atomic_store(&slot->state, EMPTY);
    }
    return 0;
}
#endif

int main(void) {
    pthread_t thread;
#ifdef HANDED
    for (;;) {
        struct range *range = malloc(sizeof *range);
        if (!range)
            continue;
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        range->low = a < b ? a : b;
        range->high = a < b ? b : a;
        pthread_create(&thread, 0, writer, range);
#ifdef EARLY
        range->high = 0;
#endif
    }
#else
    for (;;)
        pthread_create(&thread, 0, __VERIFIER_nondet_int() ? writer : reader, 0);
#endif
}
