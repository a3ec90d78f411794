// precise: SUCCESSFUL
#include <assert.h>

int main(void)
{
    int x = 3, expected = 5;
    unsigned y = 0;
    assert(__builtin_add_overflow_p(2147483647, 1, (int)0));
    assert(!__builtin_add_overflow_p(1, 1, (char)0) && __builtin_mul_overflow_p(16, 16, (unsigned char)0));
    assert(__sync_fetch_and_add_4(&x, 2) == 3 && __atomic_load_4(&x, 5) == 5);
    __atomic_store_4(&y, 9, 5);
    assert(y == 9 && __atomic_compare_exchange_4(&x, &expected, 6, 0, 5, 5) && x == 6);
    __builtin_return_address(0);
    return 0;
}
