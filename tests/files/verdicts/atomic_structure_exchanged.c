// precise: SUCCESSFUL --threads 0
// The result of an exchange is what the structure was before.
#include <stdatomic.h>
struct pair {
    int a, b;
};
_Atomic struct pair object = {1, 2};
struct pair plain = {1, 2};

int main(void) {
    struct pair new = {3, 4}, old;
    struct pair was = atomic_exchange(&object, new);
    __CPROVER_assert(was.a == 1 && was.b == 2, "as it was before");
    __atomic_exchange(&plain, &new, &old, __ATOMIC_SEQ_CST);
    __CPROVER_assert(old.a == 1 && old.b == 2, "as it was before");
    __CPROVER_assert(plain.a == 3 && plain.b == 4, "as it is now");
}
