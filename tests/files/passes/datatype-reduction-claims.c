// RUN: cd %d && for claim in TWO_FAMILIES TWO_INDICES FORGED AGAIN WIDE NUMBER UNWRITTEN ENDED; do sapa-cc -D$claim datatype-reduction-claims.c | sapa-opt -p 'inline,mem2reg,constant-propagation,allocation-sites,datatype-reduction' | sapa check --passes default --engine auto - | tail -1; done
// These programs fail, and so must what is left of them when one object of many is followed.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);

struct row {
    unsigned value;
} a[4], b[4], longer[5];

unsigned below(unsigned most) {
    unsigned value = __VERIFIER_nondet_uint();
    return value < most ? value : 0;
}

void *worker(void *unused) {
    unsigned i = below(4), j = below(4), k = below(4);
#if defined FORGED
    // An address that was made of a number is that of one element, and of no other.
    struct row *made = (struct row *)__VERIFIER_nondet_ulong();
    if (i != j && k != i && k != j && made == &a[i] && made != &a[j])
        a[k].value = 3;
#elif defined WIDE
    *(unsigned long *)&a[below(3)] = 3ul << 32;
#else
    a[i].value = 3;
    b[j].value = 3;
#endif
    return 0;
}

#ifdef ENDED
void *give(void *unused) { return &a[below(4)]; }
#endif

#ifdef AGAIN
// What is freed is allocated again.
void *owner(void *unused) {
    struct row *own = malloc(sizeof *own);
    own->value = below(2);
    free(own);
    struct row *other = malloc(sizeof *other);
    other->value = 1;
    assert(other->value != 1 || own != other || __VERIFIER_nondet_uint());
    assert(other->value == 0);
    return 0;
}
#endif

int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_uint())
#ifdef AGAIN
        pthread_create(&thread, 0, owner, 0);
#else
        pthread_create(&thread, 0, worker, 0);
#endif
    unsigned i = below(4), j = below(4);
#if defined TWO_FAMILIES
    // What the claim reads may be in either array, of which another element each is followed.
    struct row *p = &a[i], *q = __VERIFIER_nondet_uint() ? &a[j] : &longer[j];
    if (i != j)
        assert(p->value + q->value != 6);
#elif defined TWO_INDICES
    if (i != j)
        assert(a[i].value + b[j].value != 6);
#elif defined NUMBER
    // Addresses are compared as numbers.
    struct row *first = &a[i], *second = &a[j];
    static struct row *kept[2];
    kept[0] = first;
    kept[1] = second;
    unsigned k = below(4);
    if (k != i && k != j && *(unsigned long *)&kept[0] != *(unsigned long *)&kept[1])
        assert(a[k].value != 3);
#elif defined UNWRITTEN
    // What nobody wrote may be any address.
    struct pair {
        struct row *one, *two;
    } *pair = malloc(sizeof *pair);
    unsigned k = below(4);
    if (k != i && k != j && pair->one == &a[i] && pair->two == &a[j] && pair->one != pair->two)
        assert(a[k].value != 3);
#elif defined ENDED
    // So may be what a thread ends with.
    pthread_t one, two;
    void *first, *second;
    pthread_create(&one, 0, give, 0);
    pthread_create(&two, 0, give, 0);
    pthread_join(one, &first);
    pthread_join(two, &second);
    if (first != second && first != &a[i] && second != &a[i])
        assert(a[i].value != 3);
#else
    assert(a[i].value != 3);
#endif
}
