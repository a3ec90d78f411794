// covers: atomics
#include "observe.h"

int main(void)
{
    int x = 5, e = 5;
    long l = 1;
    observe(__sync_fetch_and_add(&x, 3));
    observe(__sync_add_and_fetch(&x, 2));
    observe(__sync_bool_compare_and_swap(&x, 10, 20));
    observe(__sync_val_compare_and_swap(&x, 10, 30));
    observe(__atomic_load_n(&x, __ATOMIC_SEQ_CST));
    __atomic_store_n(&x, 5, __ATOMIC_RELEASE);
    observe(__atomic_compare_exchange_n(&x, &e, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    observe(__atomic_compare_exchange_n(&x, &e, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    observe(e);
    observe(__atomic_exchange_n(&l, 8L, __ATOMIC_ACQ_REL));
    observe(__atomic_fetch_or(&l, 3, __ATOMIC_SEQ_CST));
    observe(__atomic_nand_fetch(&l, 3, __ATOMIC_SEQ_CST));
    observe(__sync_lock_test_and_set(&x, 1));
    __sync_lock_release(&x);
    __sync_synchronize();
    observe(x);
    observe_end();
    return 0;
}
