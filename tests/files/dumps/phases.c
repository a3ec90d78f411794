// -v has a line for each phase that ended and its time; a pipe gets nothing without it.
// RUN: sapa check -v %s 2>&1 > /dev/null | sed 's/[0-9]*\.[0-9]* s/T/'; sapa check %s 2>&1 > /dev/null | wc -c
// check: pass inline: T
// check: building the automata: T
// check: iteration 1, 0 predicates
// check: abstraction of iteration 1: T
// check: model checking of iteration 1: T
// check: 0
int x;
void t(void) { x = 1; }
int main(void) { __CPROVER_ASYNC_1: t(); assert(x * x == x); }
