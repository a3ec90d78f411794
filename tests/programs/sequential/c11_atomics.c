// covers: c11-atomics
#include <stdatomic.h>
#include "observe.h"

int main(void)
{
    atomic_int a = 3;
    _Atomic long l = 4;
    atomic_flag f = ATOMIC_FLAG_INIT;
    int e = 3;
    observe(atomic_fetch_add(&a, 2));
    observe(atomic_load(&a));
    atomic_store_explicit(&a, 9, memory_order_release);
    observe(atomic_exchange(&a, 3));
    observe(atomic_compare_exchange_strong(&a, &e, 11));
    observe(a++);
    a += 2;
    l *= 3;
    observe(a + l);
    observe(atomic_flag_test_and_set(&f));
    observe(atomic_flag_test_and_set(&f));
    atomic_flag_clear(&f);
    observe(atomic_fetch_sub(&l, 2));
    atomic_thread_fence(memory_order_seq_cst);
    observe_end();
    return 0;
}
