// covers: recursion
#include "observe.h"

static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(void)
{
    observe(factorial(10));
    observe(fibonacci(12));
    observe_end();
    return 0;
}
