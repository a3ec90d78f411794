// covers: scopes
#include "observe.h"

static int y = 7;

int main(void)
{
    int x = 1;
    {
        int x = 2;
        {
            int x = 3;
            observe(x);
        }
        observe(x);
    }
    observe(x);
    for (int x = 9; x < 10; x++)
        observe(x);
    observe(y);
    observe_end();
    return 0;
}
