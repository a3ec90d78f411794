// covers: strings
// What `_Generic` and `__builtin_choose_expr` choose initialises as if it stood there.
#include "observe.h"

char global[] = __builtin_choose_expr(1, "abc", 3);

int main(void)
{
    char local[] = __builtin_choose_expr(0, 3, "ab");
    char generic[5] = _Generic(1, int: "xyz", default: "z");
    char braces[] = { __builtin_choose_expr(1, "abcd", 3) };
    observe(sizeof global + global[2]);
    observe(sizeof local + local[1]);
    observe(generic[2] + generic[3]);
    observe(sizeof braces);
    observe_end();
    return 0;
}
