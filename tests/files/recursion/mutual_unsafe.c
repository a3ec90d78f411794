// One end returns another number.
// precise: FAILED
// precise: FAILED --passes inline{depth=3},lower-sync,unreachable-blocks,mem2reg,constant-propagation
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int odd(unsigned n);
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 2 : even(n - 1); }
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  int r = even(n);
  assert(r == 0 || r == 1);
  return 0;
}
