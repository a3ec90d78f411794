// A call that is never to be made counts as reached where it is decided whether it is made.
// RUN: sapa check %s; sapa check %s -DSTUCK
// check: any number of threads (the program starts at most 1; by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
// check: access atomicity, no run passes line 20
// nextln: VERIFICATION SUCCESSFUL
extern void reach_error(void);
extern void abort(void);
void __VERIFIER_assume(int);
void __VERIFIER_check(int c) {
  if (!c) {
    reach_error();
    abort();
  }
}
int x;
void t(void) { x = 0; }
int main(void) {
#ifdef STUCK
  __VERIFIER_assume(x == 1);
#endif
  __CPROVER_ASYNC_1: t();
  __VERIFIER_check(x == 0);
  return 0;
}
