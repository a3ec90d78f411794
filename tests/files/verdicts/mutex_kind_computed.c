// precise: FAILED --threads 0
// A kind that the run decides may be the recursive one.
#include <threads.h>

int __VERIFIER_nondet_int(void);

mtx_t mutex;

int main(void) {
    mtx_init(&mutex, __VERIFIER_nondet_int() ? mtx_plain | mtx_recursive : mtx_plain);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    __CPROVER_assert(0, "this is reached");
}
