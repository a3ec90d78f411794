// covers: strings
#include "observe.h"

static const char *table[] = { "one", "two" };

int main(void)
{
    const char *s = "ab" "cd";
    char t[] = "hello", u[3] = "xyz";
    t[0] = 'j';
    observe(s[2]);
    observe(t[0]);
    observe(sizeof t);
    observe(u[2]);
    observe("abc"[1]);
    observe(*(table[1] + 2));
    observe(L"wide"[3]);
    observe_end();
    return 0;
}
