// covers: function-pointers
#include "observe.h"

typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static int apply(op f, int x) { return f(x, x); }

int main(void)
{
    op f = add;
    op table[2] = { add, &multiply };
    observe(f(2, 3));
    observe((*f)(4, 5));
    f = multiply;
    observe(f(6, 7));
    for (int i = 0; i < 2; i++)
        observe(table[i](3, 5));
    observe(apply(add, 9));
    observe(f == multiply);
    observe_end();
    return 0;
}
