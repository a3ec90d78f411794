#include "shared.h"

void *second(void *arg)
{
    y = 1;
    b = x;
    return 0;
}
