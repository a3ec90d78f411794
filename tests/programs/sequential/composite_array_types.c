// covers: arrays
// An array keeps the size that one of its declarations gives it.
#include "observe.h"

int before[5];
extern int before[];
int after[];
extern int later[];

static int of_after(void)
{
    return after[1] + later[1];
}

int after[3] = { 1, 2 };
int later[2] = { 3, 4 };
int never[];

int main(void)
{
    extern int before[];
    observe(sizeof before);
    observe(sizeof after);
    observe(of_after());
    never[0]++;
    observe(never[0]);
    observe_end();
    return 0;
}
