// precise: FAILED/FAILED/FAILED --threads 2
// -7 is 249 as an unsigned char, and 249 % 7 is 4: no pair of remainders of small numbers tells that.
#include <assert.h>
#include <pthread.h>
signed char __VERIFIER_nondet_char(void);
int x, y, a, b;
void *t(void *p) { x = 1; a = y; return 0; }
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, t, 0);
  y = 1;
  b = x;
  pthread_join(p, 0);
  signed char c = __VERIFIER_nondet_char();
  int u = (unsigned char)c % 7;
  int s = c % 7;
  assert(!(u == 4 && s == 0));
  return 0;
}
