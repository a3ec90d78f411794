// The line that no run passes is found where the passes leave nothing of the assertions behind it.
// RUN: sapa check %s
// check: access atomicity, no run passes line 10
// nextln: VERIFICATION SUCCESSFUL
void __VERIFIER_assume(int);
int x;
int main(void) {
  int b = 1;
  x = 1;
  __VERIFIER_assume(x == 2);

  __CPROVER_assert(b == 1, "by a constant");
  return 0;
}
