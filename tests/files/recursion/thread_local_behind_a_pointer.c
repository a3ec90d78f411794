// What the callee calls through a pointer reaches an object that each thread has its own of.
// EXIT: 5
// RUN: sapa check --engine auto %s
// check: recursion is not supported here: the callee reaches an object that each thread has its own of
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
_Thread_local int depth;
void count(void) { depth++; }
void down(void (*done)(void)) {
  if (__VERIFIER_nondet_int()) down(done);
  done();
}
int main(void) {
  down(count);
  assert(depth > 0);
  return 0;
}
