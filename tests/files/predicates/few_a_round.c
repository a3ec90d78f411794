// Where no few predicates refute a trace, a round takes those with which the abstraction sees one more step of it.
// An element of an array at an index that is not known has dozens of preconditions; all of them were taken (44).
// RUN: sapa check -v --engine auto --iterations 6 -DBROKEN %d/../../../benchmarks/programs/everyday/ring_under_mutex.c 2>&1 | grep -o '^iteration [0-9]: [0-9]* predicates'
// EXIT: 0
// check: iteration 4: 3 predicates
// check: iteration 5: 4 predicates
// check: iteration 6: 8 predicates
