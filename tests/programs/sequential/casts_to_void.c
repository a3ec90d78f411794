// covers: operators
#include "observe.h"

int main(void)
{
    int x = 1;
    (void)x;
    (void)(x = 2);
    x ? (void)(x = 3) : (void)0;
    observe(x);
    observe_end();
    return 0;
}
