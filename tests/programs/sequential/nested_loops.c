// covers: loops
#include "observe.h"

int main(void)
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            int k = 0;
            while (k < j) {
                if (k == 2)
                    break;
                k++;
                count++;
            }
        }
    observe(count);
    observe_end();
    return 0;
}
