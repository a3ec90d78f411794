// The accesses to the members of an atomic structure have the order of the operation; so has, in the
// verdict, the copy of a union, which is one operation. What is copied to or from has none.
// RUN: sapa-cc %s | sed -n '/^bb0/,$p' | grep -oE '(load|store)\.[a-z_]+' | sort | uniq -c | sed 's/^ *//'
// RUN: sapa check --threads 1 %s | tail -2
// RUN: sapa check --threads 1 --cc=-DUNION %s | tail -2
// RUN: sed 's/memory_order_[a-z]*/memory_order_seq_cst/' %s > %t.c; sapa check --threads 1 %t.c | tail -2
#include <stdatomic.h>
#ifdef UNION
typedef union { int a; short b; } pair;
#else
typedef struct { short a, b; } pair;
#endif
_Atomic pair object;
int main(void) {
    pair mine = {1};
    atomic_store_explicit(&object, mine, memory_order_release);
    pair seen = atomic_load_explicit(&object, memory_order_acquire);
    __CPROVER_assert(seen.a == 1, "stored");
}
