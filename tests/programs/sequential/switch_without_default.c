// covers: switch
#include "observe.h"

int main(void)
{
    unsigned char c = 250;
    int r = 0;
    switch (c) {
    case 250:
        r = 1;
    }
    switch (c + 10) {
    case 4:
        r += 10;
        break;
    case 260:
        r += 20;
        break;
    }
    switch (r) {
    }
    observe(r);
    observe_end();
    return 0;
}
