// covers: string-functions
#include <string.h>
#include "observe.h"

int main(void)
{
    char a[16] = "abc", b[16];
    observe(strlen(a));
    strcpy(b, a);
    strcat(b, "def");
    observe(strcmp(b, "abcdef"));
    observe(strcmp(a, b) < 0);
    observe(strncmp(a, b, 3));
    observe(strchr(b, 'd') - b);
    observe(strrchr(b, 'z') == 0);
    observe(memcmp(a, b, 3));
    strncpy(a, "xy", 4);
    observe(a[1] + a[2]);
    observe_end();
    return 0;
}
