// covers: c11-atomics
// expect: failed
// threads: 0
#include <assert.h>
#include <stdatomic.h>

atomic_int x;

int main(void)
{
    int expected = 0;
    assert(atomic_compare_exchange_weak(&x, &expected, 1));
    return 0;
}
