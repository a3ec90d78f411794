// covers: switch
#include "observe.h"

int main(void)
{
    for (int x = -1; x < 8; x++) {
        int y = 0;
        switch (x) {
        case 0:
            y = 1;
            break;
        case 1:
        case 2:
            y = 2;
            /* fall through */
        case 5:
            y += 3;
            break;
        case 6 ... 7:
            y = 60;
            break;
        default:
            y = 9;
        }
        observe(y);
    }
    observe_end();
    return 0;
}
