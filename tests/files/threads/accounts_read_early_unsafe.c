// Transfers between three accounts that read the first one before they have the lock.
// RUN: sapa check --timeout 60 %s
// EXIT: 10
// check: Failed assertion
// check: a + b + c == 300
// check: VERIFICATION FAILED
#include <assert.h>
#include <pthread.h>
int a = 100, b = 100, c = 100;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void transfer(int *from, int *to, int amount) {
  int old = *from;
  pthread_mutex_lock(&m);
  *from = old - amount;
  *to += amount;
  pthread_mutex_unlock(&m);
}
void *t1(void *x) { transfer(&a, &b, 10); transfer(&b, &c, 5); return 0; }
void *t2(void *x) { transfer(&c, &a, 20); transfer(&b, &a, 7); return 0; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, t1, 0);
  pthread_create(&q, 0, t2, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  assert(a + b + c == 300);
  return 0;
}
