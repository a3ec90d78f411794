// precise: SUCCESSFUL --property overflow
// precise: FAILED --property overflow -DEXPRESSION=INT_MAX+1
// precise: FAILED --property overflow -DEXPRESSION=-INT_MIN
// precise: FAILED --property overflow -DEXPRESSION=INT_MAX*2
// precise: FAILED --property overflow -DEXPRESSION=1<<31
// precise: FAILED --property overflow -DEXPRESSION=-1<<3
// precise: FAILED --property overflow -DEXPRESSION=(char)(INT_MIN-1)
// precise: FAILED --property overflow -DEXPRESSION=(INT_MAX+1<0)
// precise: FAILED --property overflow -DEXPRESSION=(long)(1000000*1000000)
// precise: FAILED --property overflow -DEXPRESSION=(int)(double)(INT_MAX+1)
// Operations on constants overflow where the program comes to them, and nowhere else.
#include <limits.h>
enum { TOP = 1 << 30 };
static int numbers[sizeof(int) * 2 - 7];
#ifndef EXPRESSION
#define EXPRESSION INT_MAX + 0
#endif

int main(void) {
    unsigned top = 1u << 31;
    top += UINT_MAX + 1u;
    int none = 0 && INT_MAX + 1;
    int chosen = 1 ? 2 : INT_MAX + 1;
    if (chosen == 3)
        chosen = INT_MAX * 2;
    long size = sizeof(INT_MAX + 1);
    int constant = __builtin_constant_p(INT_MAX + 1);
    long value = EXPRESSION;
    switch (chosen) {
    case 1 << 4:
        return TOP;
    }
    return (top + none + size + constant + value + numbers[0]) != 0;
}
