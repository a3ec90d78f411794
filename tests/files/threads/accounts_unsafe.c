// Transfers between three accounts, one without the lock. The search of concrete states has its turn
// before predicates over sums have taken all the time.
// RUN: sapa check --timeout 60 %s
// EXIT: 10
// check: Failed assertion
// check: VERIFICATION FAILED
#include <assert.h>
#include <pthread.h>
int a = 100, b = 100, c = 100;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t1(void *x) { pthread_mutex_lock(&m); a = a - 10; b = b + 10; assert(a + b + c == 300); pthread_mutex_unlock(&m); return 0; }
void *t2(void *x) { b = b - 20; c = c + 20; return 0; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, t1, 0);
  pthread_create(&q, 0, t2, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(a + b + c == 300);
  return 0;
}
