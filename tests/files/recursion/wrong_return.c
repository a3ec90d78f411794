// Safe, but not if a call may return to any of the calls that wait for it: no failure is made of that.
// sound: SUCCESSFUL --timeout 3
// EXIT: 5
// RUN: sapa check --engine auto %s
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int f(int x) {
  if (__VERIFIER_nondet_int()) {
    int y = f(!x);
    assert(y == !x);
  }
  return x;
}
int main(void) {
  f(1);
  return 0;
}
