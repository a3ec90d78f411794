// covers: arrays
#include "observe.h"

int main(void)
{
    char composite[50] = { 0 };
    int count = 0;
    for (int i = 2; i < 50; i++) {
        if (composite[i])
            continue;
        count++;
        for (int j = i * i; j < 50; j += i)
            composite[j] = 1;
    }
    observe(count);
    observe_end();
    return 0;
}
