// The files are numbered in the order of events; what their names and labels mean stands in them,
// and the tools read them back.
// RUN: sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --dump-dir %t.d > /dev/null; ls %t.d
// RUN: grep -h -A1 '^// b0\|^// N1_7' %t.d/*-iteration-2-abstraction.bp
// RUN: grep -h 'E[0-9]*: .*dump_of_c.c:[0-9]*:' %t.d/*-iteration-2-abstraction.bp | head -1 | sed 's|.*  // .*/||'
// RUN: cat %t.d/*-iteration-1-trace.txt %t.d/*-iteration-2-predicates.txt
// RUN: for f in %t.d/*.bp; do sapa-mc $f | tail -1; done
// RUN: sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --predicates "$(ls %t.d/*-predicates.txt | tail -1)" | tail -1
// RUN: touch %t.d/mine; sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --dump-dir %t.d > /dev/null; ls %t.d | grep -c .; ls %t.d/mine | sed 's|.*/||'
// check: 0000-program.gir
// nextln: 0001-iteration-1-predicates.txt
// nextln: 0002-iteration-1-abstraction.bp
// nextln: 0003-iteration-1-trace.txt
// nextln: 0004-iteration-2-predicates.txt
// check: sapa-dump.list
// check: // b0  $()
// check: // N1_7    a place of thread function 1 between two steps
// check: dump_of_c.c:
// check: The error trace of iteration 1's Boolean program.
// check: thread 0  E0
// check: [starts thread 1]
// check: thread 1  E5  $()dump_of_c.c:33:10  assert(x == 1);
// check: // The predicates of iteration 2.
// nextln: // found after iteration 1, so that step 6 of that iteration's trace is not possible (dump_of_c.c:33:3):
// nextln: x == 1
// check: VERIFICATION FAILED
// nextln: VERIFICATION SUCCESSFUL
// nextln: VERIFICATION SUCCESSFUL
// check: mine
int x;
void t(void) {
  x = 1;
  assert(x == 1);
}
int main(void) {
  while (1) {
    __CPROVER_ASYNC_1: t();
  }
}
