// precise: FAILED --threads 1
// The pointer is the function that breaks the assertion.
#include <assert.h>

int x;

void good(void) { x = 0; }
void bad(void) { x = 1; }

void start(void (*t)(void))
{
    __CPROVER_ASYNC_1: t();
}

int main(void)
{
    void (*t)(void) = good;
    t = bad;
    start(t);
    assert(x == 0);
}
