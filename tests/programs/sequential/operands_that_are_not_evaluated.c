// covers: builtins
// Operands of some builtin functions are not evaluated; inputs of assembly are.
#include "observe.h"

int main(void)
{
    int i = 0;
    char a[10], *p = a;
    observe(__builtin_constant_p(i++));
    observe(i);
    observe(__builtin_constant_p("text"));
    observe(__builtin_constant_p(3 + sizeof i));
    observe(__builtin_constant_p(2.5));
    observe(__builtin_constant_p((void *)0));
    observe(__builtin_constant_p((char *)16));
    observe(__builtin_constant_p(&i));
    observe(__builtin_choose_expr(__builtin_constant_p(4), 7, 8));
    (void)__builtin_object_size(p++, 0);
    observe(p == a);
    observe(__builtin_object_size(a, 0));
    observe(__builtin_object_size(a, 3));
    __asm__ volatile("" : : "r"(i++) : "memory");
    observe(i);
    __asm__ volatile("" : : "m"(a[i++]));
    observe(i);
    observe_end();
    return 0;
}
