// covers: varargs
// Only what '%n' may write through is refused.
#include <stdio.h>
#include "observe.h"

int main(void)
{
    const char *format = "100%%\n";
    char text[8] = "";
    int (*print)(FILE *, const char *, ...) = fprintf;
    fprintf(stderr, "100%%n %5d %s\n", 3, text);
    fprintf(stderr, format, 3, "text");
    fputs("%n", stderr);
    print(stderr, "%s", text);
    observe(1);
    observe_end();
    return 0;
}
