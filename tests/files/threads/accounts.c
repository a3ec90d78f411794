// What refinement gives up is said.
// RUN: sapa check --passes 'inline,lower-sync,mem2reg,constant-propagation,join-flags' --iterations 1 -v %s 2>&1
// EXIT: 5
// check: gave up predicates over a, b, c, d, e
// check: inconclusive:
// check: gave up predicates over a, b, c, d, e
// check: calls of the solver were not enough
#include <assert.h>
#include <pthread.h>
int a, b, c, d, e;
int nondet(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void transfer(int *from, int *to, int amount) {
  pthread_mutex_lock(&m);
  *from -= amount;
  *to += amount;
  pthread_mutex_unlock(&m);
}
void *t1(void *x) { transfer(&a, &b, nondet()); transfer(&b, &d, nondet()); return 0; }
void *t2(void *x) { transfer(&c, &a, nondet()); transfer(&e, &a, nondet());
  pthread_mutex_lock(&m);
  assert(a + b + c + d + e == 300);
  pthread_mutex_unlock(&m);
 return 0; }
/* Who looks without the lock may see a transfer half done: it is no single step then. */
void *watch(void *x) { int sum = a + b + c + d + e; return sum ? x : 0; }
int main(void) {
  a = nondet(); b = nondet(); c = nondet(); d = nondet(); e = 300 - a - b - c - d;
  pthread_t p, q, r;
  pthread_create(&r, 0, watch, 0);
  pthread_create(&p, 0, t1, 0);
  pthread_create(&q, 0, t2, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(a + b + c + d + e == 300);
  return 0;
}
