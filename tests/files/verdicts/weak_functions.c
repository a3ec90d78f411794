// precise: SUCCESSFUL
// precise: FAILED -DDEFINED
// A weak function that nothing defines is none, and one that is defined weakly is as any other.
#include <assert.h>

int hook(int) __attribute__((weak));
int hook(int);

#ifdef DEFINED
int hook(int number) { return number; }
#endif

__attribute__((weak)) int weak(void) { return 3; }

static int call_if_there(int number)
{
    int (*function)(int) = hook;
    if (hook)
        return hook(number);
    if (&hook != 0 && function)
        return function(number + 1);
    return 0;
}

int main(void)
{
    assert(weak() == 3);
    assert(call_if_there(5) == 0);
    return 0;
}
