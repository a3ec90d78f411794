// covers: integers
#include "observe.h"

int main(void)
{
    long long a = 1LL << 62;
    __int128 w = (__int128)a * 16;
    unsigned __int128 u = (unsigned __int128)-1;
    observe((long)(w >> 60));
    observe((long)(u >> 64));
    observe((long)(w / a));
    observe(w > a);
    observe_end();
    return 0;
}
