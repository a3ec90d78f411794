// The worker waits for a flag that nobody sets; with the flag set, it comes to its assertion.
// RUN: sapa check %s; sapa check %s -DSET
// check: access atomicity, assuming that thread creation succeeds, no run passes line 11
// nextln: VERIFICATION SUCCESSFUL
// nextln: any number of threads (the program starts at most 1; by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
_Bool go;
void *t(void *a) {
  while (!go)
    ;
  assert(go);
  return 0;
}
int main(void) {
  pthread_t h;
  pthread_create(&h, 0, t, 0);
#ifdef SET
  go = 1;
#endif
  return 0;
}
