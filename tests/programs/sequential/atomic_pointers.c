// covers: c11-atomics
#include <stdatomic.h>
#include "observe.h"

int main(void)
{
    int x = 1, y = 2;
    _Atomic(int *) p = &x;
    int *e = &x;
    observe(atomic_compare_exchange_strong(&p, &e, &y));
    observe(*atomic_load(&p));
    int a[3] = { 4, 5, 6 };
    int *q = a;
    __sync_fetch_and_add(&q, sizeof(int));
    observe(*q);
    observe_end();
    return 0;
}
