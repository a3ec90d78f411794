// What refinement gives up is said.
// RUN: sapa check --iterations 3 -v %s 2>&1
// EXIT: 5
// check: gave up predicates over
// check: inconclusive:
// check: gave up predicates over
// check: calls of the solver were not enough
#include <assert.h>
#include <pthread.h>
int a, b, c;
int nondet(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void transfer(int *from, int *to, int amount) {
  pthread_mutex_lock(&m);
  *from -= amount;
  *to += amount;
  pthread_mutex_unlock(&m);
}
void *t1(void *x) { transfer(&a, &b, nondet()); transfer(&b, &c, nondet()); return 0; }
void *t2(void *x) { transfer(&c, &a, nondet()); transfer(&b, &a, nondet());
  pthread_mutex_lock(&m);
  assert(a + b + c == 300);
  pthread_mutex_unlock(&m);
 return 0; }
int main(void) {
  a = nondet(); b = nondet(); c = 300 - a - b;
  pthread_t p, q;
  pthread_create(&p, 0, t1, 0);
  pthread_create(&q, 0, t2, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(a + b + c == 300);
  return 0;
}
