// Of assertions without code after the passes it is proved that no run comes to them, or that one does,
// though runs at random do not.
// RUN: sapa check %s --json
// check: "reached":[{
// sameln: "line":18
// sameln: "line":22
// sameln: "unreachable":[{
// sameln: "line":20
// sameln: "line":24
// sameln: "unknown":[]
// RUN: sapa check %s
// check: 2 of 4 assertions can be reached
// nextln: VERIFICATION SUCCESSFUL
unsigned __VERIFIER_nondet_uint(void);
unsigned g;
int main(void) {
  int b = 1;
  __CPROVER_assert(b == 1, "by a constant");
  if (b == 4)
    __CPROVER_assert(b == 4, "under a constant that does not hold");
  if (__VERIFIER_nondet_uint() * 1103515245u == 305419896u)
    __CPROVER_assert(b != 2, "by a constant, where few runs come to");
  if (g > 3)
    __CPROVER_assert(b != 3, "by a constant, where no run comes to");
}
