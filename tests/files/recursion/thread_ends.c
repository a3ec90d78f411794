// A callee that ends its thread, which others wait for.
// RUN: sapa check --engine auto %s 2>&1 | tail -2
// precise: FAILED
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int done;
void down(void) {
  if (__VERIFIER_nondet_int()) down();
  pthread_exit(0);
}
void *run(void *a) {
  down();
  done = 1;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_join(t, 0);
  assert(done == 1);
  return 0;
}
