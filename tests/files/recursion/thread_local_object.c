// The callee reaches an object that each thread has its own of.
// EXIT: 5
// RUN: sapa check --engine auto %s 2>&1
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
_Thread_local int depth;
void down(void) {
  depth++;
  if (__VERIFIER_nondet_int()) down();
  depth--;
}
int main(void) { down(); assert(depth == 0); return 0; }
