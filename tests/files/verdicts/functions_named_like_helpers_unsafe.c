// FAILED threads=0
// The models choose freely whatever the program's functions choose.
#include <unistd.h>

int __VERIFIER_nondet_bool(void) { return 0; }

int main(void) {
    int result = usleep(1);
    __CPROVER_assert(result == 0, "no signal comes");
}
