// What the machine makes one step is a locked section; what makes a statement one step is a plain
// one; and one access of a scalar has none. A compare-and-exchange keeps both its orders.
// RUN: sapa-cc %s | grep -v '^file' | grep -E 'memory|note|define|atomic_|load\.|store\.|fence' | sed 's/  #.*//'
// RUN: sapa-cc --atomicity statement %s | grep -cE 'atomic_begin( |$)'
#include <stdatomic.h>
#include <stdbool.h>
void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
struct pair { int a, b; };
int x, e;
_Atomic int y;
_Atomic struct pair p;
int load(void) { return __atomic_load_n(&x, __ATOMIC_ACQUIRE); }
void store(void) { __atomic_store_n(&x, 1, __ATOMIC_RELEASE); }
void set(void) { __sync_lock_release(&x); }
void fetch(void) { __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED); }
void add(void) { y += 1; }
bool exchange(void) { return __atomic_compare_exchange_n(&x, &e, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); }
bool swap(void) { return __sync_bool_compare_and_swap(&x, 0, 1); }
void fence(void) { atomic_thread_fence(memory_order_release); }
void own(void) { __VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end(); }
void whole(void) { struct pair q = p; }
int main(void) { load(); store(); set(); fetch(); add(); exchange(); swap(); fence(); own(); whole(); }
