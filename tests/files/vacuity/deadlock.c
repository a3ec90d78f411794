// The worker waits for the lock that it holds, and main for the worker.
// RUN: sapa check %s
// check: access atomicity, assuming that thread creation succeeds, no run passes line 12
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;
void *t(void *a) {
  pthread_mutex_lock(&m);
  n++;
  pthread_mutex_lock(&m);
  assert(n == 7);
  return 0;
}
int main(void) {
  pthread_t h;
  pthread_create(&h, 0, t, 0);
  pthread_join(h, 0);
  assert(n == 9);
  return 0;
}
