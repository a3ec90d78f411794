// covers: generic
#include "observe.h"

#define kind(x) _Generic((x), int: 1, long: 2, char *: 3, float: 4, default: 5)

int main(void)
{
    int i = 0;
    long l = 0;
    char *s = "";
    observe(kind(i));
    observe(kind(l));
    observe(kind(s));
    observe(kind((short)1));
    observe(kind(1.0f));
    observe_end();
    return 0;
}
