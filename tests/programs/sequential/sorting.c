// covers: loops
#include "observe.h"

int main(void)
{
    int a[7] = { 5, 2, 9, 1, 7, 3, 8 };
    for (int i = 1; i < 7; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            int t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
    for (int i = 0; i < 7; i++)
        observe(a[i]);
    observe_end();
    return 0;
}
