// Some runs end in a deadlock, others come to the assertion: there is nothing to say.
// RUN: sapa check %s
// check: any number of threads (the program starts at most 2; by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int n;
void *t(void *x) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  n++;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return 0;
}
void *u(void *x) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  n++;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t h, k;
  pthread_create(&h, 0, t, 0);
  pthread_create(&k, 0, u, 0);
  pthread_join(h, 0);
  pthread_join(k, 0);
  assert(n == 2);
  return 0;
}
