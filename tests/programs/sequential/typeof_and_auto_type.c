// covers: typeof
#include "observe.h"

int main(void)
{
    short s = 3;
    __typeof__(s) t = 40000;
    __auto_type l = 5L;
    typeof(int *) p = &(int) { 8 };
    observe(t);
    observe(sizeof l);
    observe(*p);
    observe(__builtin_types_compatible_p(__typeof__(s), short));
    observe(__builtin_choose_expr(1, 5, 6));
    observe_end();
    return 0;
}
