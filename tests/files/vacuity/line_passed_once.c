// The line at which the run ends was passed before, so it is not named.
// RUN: sapa check %s
// check: access atomicity, 0 of 1 assertion can be reached
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void lock(void) {
  pthread_mutex_lock(&m);
}
int main(void) {
  lock();
  lock();
  assert(0);
  return 0;
}
