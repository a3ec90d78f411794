// RUN: cd %d && sapa-cc datatype-reduction-refused.c | sapa-opt --verify-each -p 'inline,mem2reg,constant-propagation,datatype-reduction' | grep '^global.*::one'
// Of these arrays only `whole`, `beyond`, where it is asserted that the index is that of a scalar, and `bytes` can have one element that is
// followed: accesses to the others go beyond an element, from one to the next or through numbers, or the program begins with
// an address.
#include <string.h>

unsigned __VERIFIER_nondet_uint(void);
void pthread_create(long *, void *, void *(*)(void *), void *);

struct row {
    int first, second;
    int rest[3];
};
struct wide {
    struct row one, two;
};
struct row whole[4], wide[4], beyond[4], next[4], bytes[4], number[4], named[4], *first = named, *kept;
int narrow[4], *inner[1];

void *worker(void *argument) {
    unsigned i = (unsigned)(long)argument, j = __VERIFIER_nondet_uint();
    whole[i].rest[j]++;
    struct row copy = whole[i];
    *(long *)&narrow[i] = copy.second;
    ((struct wide *)&wide[i])->two.first = 1;
    *(&beyond[i].second + j) = 1;
    kept = &next[i];
    (kept + 1)->first = 1;
    memset(&bytes[i], 0, sizeof bytes[i]);
    number[i].first = ((unsigned long)&number[i] & 64) != 0;
    named[i].first = first->second;
    return 0;
}

int main(void) {
    long t;
    for (;;)
        pthread_create(&t, 0, worker, (void *)(long)__VERIFIER_nondet_uint());
}
