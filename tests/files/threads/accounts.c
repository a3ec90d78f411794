// What refinement gives up is said.
// RUN: sapa check --iterations 3 -v %s 2>&1
// EXIT: 5
// check: gave up predicates over a, b, c
// check: inconclusive:
// check: gave up predicates over a, b, c
// check: gave up predicates over a, b, c: 30000 calls
#include <assert.h>
#include <pthread.h>
int a = 100, b = 100, c = 100;
int nondet(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void transfer(int *from, int *to, int amount) {
  pthread_mutex_lock(&m);
  *from -= amount;
  *to += amount;
  pthread_mutex_unlock(&m);
}
void *t1(void *x) { transfer(&a, &b, 10); transfer(&b, &c, 5); return 0; }
void *t2(void *x) { transfer(&c, &a, 20); transfer(&b, &a, 7);
  pthread_mutex_lock(&m);
  assert(a + b + c == 300);
  pthread_mutex_unlock(&m);
 return 0; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, t1, 0);
  pthread_create(&q, 0, t2, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(a + b + c == 300);
  return 0;
}
