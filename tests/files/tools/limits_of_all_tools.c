// --timeout and --memory-limit are the same in all tools: one message on the standard error, exit
// code 5, and nothing that is half written.
// RUN: for t in sapa-cc sapa-opt sapa-abstract 'sapa-translate --to smv'; do $t --help | grep -c -e '--timeout <SECONDS>' -e '--memory-limit <MB>'; done
// check: 2
// nextln: 2
// nextln: 2
// nextln: 2
// RUN: for t in 'sapa-cc -' sapa-opt sapa-abstract 'sapa-translate --to smv'; do sleep 1 | $t --timeout 0.2 2>&1; echo "exit $?"; done
// check: error: out of time in reading
// nextln: exit 5
// nextln: error: out of time in reading
// nextln: exit 5
// nextln: error: out of time in reading
// nextln: exit 5
// nextln: error: out of time in reading
// nextln: exit 5
// RUN: sapa-cc -DMACROS %s -o %t.gir --timeout 0.3 2>&1; echo "exit $?"; test -e %t.gir || echo none
// check: error: out of time in 
// nextln: exit 5
// nextln: none
// RUN: sapa-cc %s -o %t.gir --timeout 100 --memory-limit 1000 && sapa-opt %t.gir -p inline --timeout 0.3 2>&1; echo "exit $?"
// check: error: out of time in pass inline
// nextln: exit 5
// RUN: sapa-opt %t.gir -p inline --memory-limit 64 2>&1; echo "exit $?"
// check: error: out of memory in pass inline
// nextln: exit 5
// RUN: timeout --preserve-status -s INT 0.5 sapa-opt %t.gir -p inline 2>&1; echo "exit $?"
// check: error: interrupted in pass inline
// nextln: exit 5
// An abstraction that is not finished would prove too much: nothing is written.
// RUN: sapa-cc -DPREDICATES %s | sapa-opt -p inline,mem2reg > %t.p; for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do echo "a * b * c > $n * d"; done > %t.v; sapa-abstract %t.p --predicates %t.v -o %t.bp --max-cube-length 5 --timeout 1 2>&1; echo "exit $?"; test -e %t.bp || echo none
// check: error: out of time in abstraction of iteration 1
// nextln: exit 5
// nextln: none
// RUN: sapa-opt %t.gir --timeout 0
// EXIT: 1
unsigned g;
void f0(void) { g++; }
#define TWICE(to, from) void to(void) { from(); from(); }
TWICE(f1, f0) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5)
TWICE(f7, f6) TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10) TWICE(f12, f11)
TWICE(f13, f12) TWICE(f14, f13) TWICE(f15, f14) TWICE(f16, f15) TWICE(f17, f16)
TWICE(f18, f17) TWICE(f19, f18) TWICE(f20, f19) TWICE(f21, f20) TWICE(f22, f21) TWICE(f23, f22)
#define M0 g = g + 1;
#define M1 M0 M0 M0 M0 M0 M0 M0 M0
#define M2 M1 M1 M1 M1 M1 M1 M1 M1
#define M3 M2 M2 M2 M2 M2 M2 M2 M2
#define M4 M3 M3 M3 M3 M3 M3 M3 M3
#define M5 M4 M4 M4 M4 M4 M4 M4 M4
#define M6 M5 M5 M5 M5 M5 M5 M5 M5
#ifdef PREDICATES
unsigned a, b, c, d;
int main(void)
{
    while (1) {
        a = a * b + c;
        b = b * c + d;
        __CPROVER_assert(a != b * 77, "different");
    }
}
#else
int main(void)
{
#ifdef MACROS
    M6
#endif
    f23();
    __CPROVER_assert(g > 0, "counted");
}
#endif
