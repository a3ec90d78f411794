// RUN: cd %d && sapa-cc check-pointers.c | sapa-opt --verify-each -p 'mem2reg,check-pointers'
// Nothing is asserted of variables by their names. What may be freed is looked up.
#include <stdlib.h>
struct pair { int first, second; } known;

int use(struct pair *pair, int *number) {
    known.second = 1;
    pair->second = *number;
    free(pair);
    return pair->second;
}

int main(void) { return use(malloc(sizeof known), &known.first); }
