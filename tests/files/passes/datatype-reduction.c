// RUN: cd %d && sapa-cc datatype-reduction.c | sapa-opt --verify-each -p 'inline,mem2reg,constant-propagation,datatype-reduction'
// One element of `table` is followed, and of `first`, whose elements differ at first; and one block of the allocation. `moved` has
// a pointer that goes from element to element, and stays. Where
// blocks end is not compared.
#include <stdlib.h>

void __VERIFIER_assert(int);
int __VERIFIER_nondet_int(void);
void pthread_create(long *, void *, void *(*)(void *), void *);

struct row {
    int state;
    struct row *next;
} table[4], *top;
int first[3] = {7, 8, 7};
char moved[9];
int *end;

void *worker(void *argument) {
    struct row *own = &table[(long)argument], *other = top;
    own->state = first[(long)argument];
    other = other->next;
    __VERIFIER_assert(own != other || own->state != 0);
    return 0;
}

int main(void) {
    char *p = moved;
    while (*p)
        p++;
    long t;
    for (;;) {
        struct row *new = malloc(sizeof *new);
        new->next = top;
        top = new;
        int *numbers = malloc(4 * sizeof *numbers), *old = end;
        end = numbers + __VERIFIER_nondet_int();
        __VERIFIER_assert(end != old);
        pthread_create(&t, 0, worker, (void *)(long)__VERIFIER_nondet_int());
        free(top);
    }
}
