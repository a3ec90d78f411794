// Two assertions are reached, three are proved not to be. Copies of an assertion count once.
// RUN: sapa check %s; sapa check %s --threads 2 -q; sapa-cc %s -o %t.gir && sapa check %t.gir
// check: any number of threads (the program starts at most 2; by invariants), sequential consistency, access atomicity, assuming that thread creation succeeds, 2 of 5 assertions can be reached
// nextln: VERIFICATION SUCCESSFUL
// check: 2 of 5 assertions can be reached
// nextln: VERIFICATION SUCCESSFUL
// check: 2 of 5 assertions can be reached
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n, ready;
void check(void) { assert(n == 1); }
void *t(void *a) {
  pthread_mutex_lock(&m);
  n = 1;
  check();
  check();
  if (n == 2)
    assert(ready == 17);
  pthread_mutex_unlock(&m);
  assert(n > 0);
  if (ready > 5)
    assert(n == 8);
  if (ready < 0)
    assert(n == 9);
  return 0;
}
int main(void) {
  pthread_t h, k;
  pthread_create(&h, 0, t, 0);
  pthread_create(&k, 0, t, 0);
  return 0;
}
