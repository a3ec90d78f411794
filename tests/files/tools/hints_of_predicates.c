// Hints where CBMC should look for predicates say nothing: neither a value nor an assumption.
// RUN: sapa check --threads 1 %s 2>&1
// check: any number of threads (the program starts none), sequential consistency, access atomicity
// not: extern
// check: VERIFICATION SUCCESSFUL
#include <assert.h>

int shared;

int parameters(int x)
{
    __CPROVER_parameter_predicates();
    return x;
}

int results(int x)
{
    __CPROVER_return_predicates();
    return x;
}

int some(int x)
{
    __CPROVER_parameter_predicates(x > 0, x == shared);
    __CPROVER_return_predicates(x == 1);
    return x;
}

int main(void)
{
    assert(parameters(1) == 1 && results(2) == 2 && some(3) == 3);
}
