// covers: integers
#include "observe.h"

int main(void)
{
    char c = '\xff';
    signed char s = c;
    unsigned char u = c;
    observe(c == s);
    observe(u);
    observe(c < 0);
    observe((c & 0xff) == u);
    observe_end();
    return 0;
}
