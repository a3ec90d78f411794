// The assertions that `NDEBUG` takes out are not there.
// RUN: sapa check %s -DNDEBUG; sapa check %s; sapa check %s -DNDEBUG --json
// check: access atomicity, assuming that thread creation succeeds, no assertion
// nextln: VERIFICATION SUCCESSFUL
// nextln: any number of threads (the program starts at most 1; by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
// check: "decided_by":"no assertion"
// check: "assertions":{"total":0,
#include <assert.h>
#include <pthread.h>
int x;
void *t(void *a) { x = 1; return 0; }
int main(void) {
  pthread_t h;
  pthread_create(&h, 0, t, 0);
  pthread_join(h, 0);
  assert(x == 1);
  return 0;
}
