// covers: loops
#include "observe.h"

int main(void)
{
    ;
    {}
    { ; }
    for (;;)
        break;
    if (0)
        ;
    else
        observe(1);
    observe(2);
    observe_end();
    return 0;
}
