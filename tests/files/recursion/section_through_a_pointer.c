// The section begins by a call through a pointer, where the pass takes calls to leave sections as they are.
// RUN: sapa check --engine auto %s 2>&1 || echo "exit $?"; sapa check %s
// EXIT: 10
// check: a function that begins or ends an atomic section may be called through a pointer
// check: VERIFICATION INCONCLUSIVE
// nextln: exit 5
// check: VERIFICATION FAILED
#include <assert.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void (*begin)(void) = __VERIFIER_atomic_begin;
void (*end)(void) = __VERIFIER_atomic_end;
void set(int n) {
  if (n > 0) set(n - 1);
  x = 1;
}
int main(void) {
  begin();
  set(2);
  end();
  assert(x == 0);
  return 0;
}
