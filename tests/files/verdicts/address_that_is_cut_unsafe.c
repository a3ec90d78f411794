// precise: FAILED
// precise: FAILED -DOF_GLOBAL
// precise: SUCCESSFUL -DNULL_POINTER
// A pointer is given to a function that takes an int, as `assume(p)` does: what is cut off must not make it 0.
#include <assert.h>
#include <stdlib.h>

int global;

void go_on_if(int condition)
{
    if (!condition)
        exit(0);
}

int main(void)
{
#if defined(NULL_POINTER)
    int *p = NULL;
#elif defined(OF_GLOBAL)
    int *p = &global;
#else
    int *p = malloc(sizeof *p);
#endif
    go_on_if((int)(long)p);
    go_on_if((int)(unsigned long)(void *)p);
    assert(0);
}
