// Threads that stand for calls would be counted by `sapa-mc --threads`, so there is no Boolean program of them.
// RUN: sapa-cc %s | sapa-opt -p default | sapa-abstract 2>&1 || echo "exit $?"; sapa-cc %s | sapa-opt -p 'inline{depth=8},lower-sync,mem2reg' | sapa-abstract | grep -c assert
// check: error: recursive calls are threads in this module, and a bound of `sapa-mc` on threads would count them
// nextln: exit 2
// nextln: 2
#include <assert.h>
_Bool done;
void go(_Bool on) {
  if (on) go(0);
  else done = 1;
}
int main(void) {
  go(1);
  assert(!done);
  return 0;
}
