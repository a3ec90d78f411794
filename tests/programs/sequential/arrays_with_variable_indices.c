// covers: arrays
#include "observe.h"

int main(void)
{
    int a[6], n = 6;
    for (int i = 0; i < n; i++)
        a[(i * 5) % n] = i;
    for (int i = 0; i < n; i++)
        observe(a[i]);
    observe_end();
    return 0;
}
