// A recursive call inside an atomic section, in which no other thread could go on.
// EXIT: 5
// RUN: sapa check --engine auto %s 2>&1
#include <assert.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
int x;
void down(void) {
  x++;
  if (__VERIFIER_nondet_int()) down();
  x--;
}
int main(void) {
  __VERIFIER_atomic_begin();
  down();
  __VERIFIER_atomic_end();
  assert(x == 0);
  return 0;
}
