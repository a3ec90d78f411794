// What stands after an assumption that never holds is not reached, however false it is.
// RUN: sapa check %s; sapa check %s --json
// check: access atomicity, no run passes line 17
// nextln: VERIFICATION SUCCESSFUL
// check: "unreachable":[{"file":"
// check: "line":19
// check: "dead_end":{"file":"
// check: "line":17
#include <assert.h>
void __VERIFIER_assume(int);
int __VERIFIER_nondet_int(void);
int x;
int main(void) {
  x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 3);
  x = 1;
  __VERIFIER_assume(x == 2);

  assert(x == 5);
  return 0;
}
