// The same without the lock.
// precise: FAILED
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;
void visit(int depth) {
  inside++;
  assert(inside == 1);
  inside--;
  if (depth > 0) visit(depth - 1);
}
void *run(void *a) { visit(__VERIFIER_nondet_int()); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  visit(__VERIFIER_nondet_int());
  pthread_join(t, 0);
  return 0;
}
