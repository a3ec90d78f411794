// covers: arrays
#include "observe.h"

int main(void)
{
    int a[2][2] = { { 1, 1 }, { 1, 0 } }, b[2][2];
    for (int n = 0; n < 5; n++) {
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                b[i][j] = 0;
                for (int k = 0; k < 2; k++)
                    b[i][j] += a[i][k] * (k == j || k + j == 1 ? (k || j) ? (k && j ? 0 : 1) : 1 : 0);
            }
        for (int i = 0; i < 4; i++)
            (&a[0][0])[i] = (&b[0][0])[i];
    }
    observe(a[0][0] * 100 + a[0][1]);
    observe_end();
    return 0;
}
