// A module with calls as threads says so: no failure of it is believed, no buffers are put into it, and a
// bound on threads says nothing.
// EXIT: 2
// RUN: sapa-cc %s | sapa-opt -p recursion | sapa check - --threads 1
// RUN: sapa-cc %s | sapa-opt -p recursion,inline,tso 2>&1
// RUN: sapa-cc %s | sapa-opt -p 'inline{depth=1001}' 2>&1
#include <assert.h>
int g;
void f(int n) {
  g++;
  if (n > 0) f(n - 1);
  g--;
}
int main(void) {
  f(3);
  assert(g == 1);
}
