// covers: initialisers, arrays
#include "observe.h"

struct block { int words[40]; struct { char c; long l; } in[20]; };

static int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

int main(void)
{
    int a[1100] = { 1, [1099] = 5 };
    struct block b[14] = { [7].words[3] = 4, [13].in[19].l = 6 }, c;
    char text[1200] = "large";
    observe(sum(a + 1090, 10));
    observe(a[0] + a[550]);
    observe(b[7].words[3] + b[13].in[19].l + b[3].in[2].c);
    c = b[7];
    observe(c.words[3] * 10);
    observe(text[4] + text[1199]);
    observe_end();
    return 0;
}
