// covers: vla
#include "observe.h"

static int sum(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }

int main(void)
{
    int n = 3;
    for (int k = 1; k <= n; k++) {
        int a[k + 1];
        for (int i = 0; i <= k; i++)
            a[i] = i * k;
        observe(a[k]);
        observe(sizeof a);
    }
    observe(sum(4, (int[]) { 1, 2, 3, 4 }));
    observe_end();
    return 0;
}
