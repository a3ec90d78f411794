// covers: switch
#include "observe.h"

int main(void)
{
    int n = 7, i = 0, count = 0;
    switch (n % 4) {
        do {
        case 0:
            count++;
        case 3:
            count++;
        case 2:
            count++;
        case 1:
            count++;
        } while (++i < 2);
    }
    observe(count);
    observe_end();
    return 0;
}
