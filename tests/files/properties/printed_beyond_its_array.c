// precise: FAILED --property bounds
// precise: SUCCESSFUL --property bounds -DSAFE
// What a text would have been long is added up, so that at last there is no room, and its size has wrapped.
#include <stdio.h>

int main(void)
{
    char out[8];
    int at = 0;
    for (int i = 0; i < 4; i++) {
#ifdef SAFE
        if (at >= (int)sizeof out)
            break;
#endif
        at += snprintf(out + at, sizeof out - at, "%s", "1234");
    }
    return 0;
}
