// Two threads recurse to any depth at the same call.
// precise: SUCCESSFUL
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;
void visit(int depth) {
  pthread_mutex_lock(&m);
  inside++;
  assert(inside == 1);
  inside--;
  pthread_mutex_unlock(&m);
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
