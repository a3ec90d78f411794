// covers: statement-expressions
#include "observe.h"

#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })

int main(void)
{
    int x = ({ int t = 3; t * t; });
    observe(x);
    observe(max(x, 20));
    observe(({ int s = 0; for (int i = 0; i < 5; i++) s += i; s; }));
    observe(sizeof(({ char c = 1; c; })));
    observe_end();
    return 0;
}
