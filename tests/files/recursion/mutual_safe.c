// Mutual recursion of any depth: the result is one of the two that the ends return.
// precise: SUCCESSFUL
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int odd(unsigned n);
int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  int r = even(n);
  assert(r == 0 || r == 1);
  return 0;
}
