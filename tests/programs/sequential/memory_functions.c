// covers: memory-functions
#include <string.h>
#include "observe.h"

struct s { int x; long y; };

int main(void)
{
    int a[4] = { 1, 2, 3, 4 }, b[4];
    struct s t = { 1, 2 }, u;
    char c[10];
    memcpy(b, a, sizeof a);
    observe(b[3]);
    memset(a, 0, sizeof a);
    observe(a[0] + a[3]);
    memset(c, 'x', 5);
    observe(c[4]);
    memcpy(&u, &t, sizeof u);
    observe(u.y);
    memmove(b + 1, b, 3 * sizeof(int));
    observe(b[1] * 100 + b[2] * 10 + b[3]);
    memset(b, 255, 2 * sizeof(int));
    observe(b[1]);
    observe_end();
    return 0;
}
