// covers: arrays
#include "observe.h"

int main(void)
{
    int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    int (*row)[3] = m;
    int sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            sum += m[i][j] * (i + 1);
    observe(sum);
    observe(row[1][2]);
    observe(**(m + 1));
    observe(sizeof m / sizeof m[0]);
    observe_end();
    return 0;
}
