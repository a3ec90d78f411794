// precise: SUCCESSFUL --property bounds
// precise: SUCCESSFUL --property bounds,pointers
// precise: FAILED --property bounds -DROWS
// precise: FAILED --property bounds -DMEMBER
// precise: FAILED --property bounds -DUNION
// precise: FAILED --property bounds -DBACK
// precise: FAILED --property bounds -DDIRECT
// precise: FAILED --property bounds -DSECOND
// precise: FAILED --property bounds -DONE
// A pointer may leave an array where it is no longer one to its elements, also where the code does so without a loop or a call.
#include <stddef.h>
#include <string.h>
int grid[3][4], copy[3][4];
struct group {
    int before;
    short rows[3][4];
    int last;
} g;
struct {
    int before;
    union {
        char bytes[4];
        int numbers[4];
    };
    int last;
} u;
struct item {
    int number;
    char text[8];
    int last;
} item;

struct {
    int one[1];
    int behind;
} single;

int main(void) {
    memset(grid[0], 0, sizeof grid);
    memset(&grid[0][0], 0, sizeof grid);
    memcpy(copy[0], grid[0], sizeof grid);
    memset(g.rows[0], 0, sizeof g.rows);
    int *p = grid[0];
    p[11] = 1;
    p += 5;
    *p = 1;
#ifdef ROWS
    p[7] = 1;
#endif
    short *q = g.rows[0];
    q[11] = 1;
#ifdef MEMBER
    q[12] = 1;
#endif
    char *byte = u.bytes;
    byte[15] = 1;
    memset(u.bytes, 0, sizeof u.numbers);
#ifdef UNION
    byte[16] = 1;
#endif
    char *t = item.text;
    *(int *)(t - offsetof(struct item, text) + offsetof(struct item, last)) = 1;
    t -= offsetof(struct item, text);
    t[offsetof(struct item, last)] = 1;
    ((struct item *)(item.text - offsetof(struct item, text)))->text[1] = 1;
#ifdef BACK
    char *before = item.text;
    before[-1] = 1;
#endif
#ifdef DIRECT
    grid[0][4] = 1;
#endif
#ifdef SECOND
    int *r = grid[1];
    r[4] = 1;
#endif
#ifdef ONE
    int *one = single.one;
    one[1] = 1;
#endif
    return 0;
}
