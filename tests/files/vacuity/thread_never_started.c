// The assertion is in a thread that no run starts.
// RUN: sapa check %s
// check: access atomicity, assuming that thread creation succeeds, no run passes line 14
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
int n;
void *t(void *a) {
  assert(n == 3);
  return 0;
}
int main(void) {
  pthread_t h;
  __CPROVER_assume(n == 1);
  pthread_create(&h, 0, t, 0);
  return 0;
}
