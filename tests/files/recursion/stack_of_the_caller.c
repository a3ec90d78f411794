// The callee reaches a stack object of its caller, so that it cannot be another thread: both places are named.
// EXIT: 5
// RUN: sapa check --engine auto %s 2>&1
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
void down(int *p) {
  int x = 0;
  if (__VERIFIER_nondet_int()) down(&x);
  *p = x + 1;
}
int main(void) { int x = 0; down(&x); assert(x > 0); return 0; }
