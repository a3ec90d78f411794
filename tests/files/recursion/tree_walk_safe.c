// Any number of threads walk trees of any depth under one lock.
// precise: SUCCESSFUL
// sound: SUCCESSFUL --threads 1
// sound: SUCCESSFUL --mm tso --timeout 3
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int busy;
void walk(void) {
  assert(busy == 1);
  if (__VERIFIER_nondet_int()) walk();
  if (__VERIFIER_nondet_int()) walk();
  assert(busy == 1);
}
void *worker(void *a) {
  pthread_mutex_lock(&m);
  busy++;
  walk();
  busy--;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  while (__VERIFIER_nondet_int()) pthread_create(&t, 0, worker, 0);
  worker(0);
  return 0;
}
