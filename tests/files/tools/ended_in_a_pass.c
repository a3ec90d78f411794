// What is known when a limit ends a run in a pass is in the report: what the frontend warned of, how
// long each phase took, and the memory. A run that is ended from outside (Ctrl-C) has no less.
// RUN: sapa check %s --timeout 1.5 --json 2>/dev/null
// check: "verdict":"inconclusive"
// sameln: "reason":{"text":"out of time in pass inline"
// sameln: "warnings":[{"severity":"warning"
// sameln: "text":"implicit declaration of function 'undeclared'
// sameln: "statistics":{"seconds":
// sameln: {"name":"lowering"
// sameln: {"name":"pass inline"
// sameln: "peak_memory":
// RUN: timeout --preserve-status -s INT 1 sapa check %s --json 2>/dev/null
// check: "reason":{"text":"interrupted in pass inline"
// sameln: "warnings":[{"severity":"warning"
// sameln: {"name":"pass inline"
// RUN: sapa check %s --timeout 1 -v 2>&1
// check: lowering: 
// check: pass inline: 
// check: time 
// check: inconclusive: out of time in pass inline
// EXIT: 5
unsigned g;
void f0(void) { g++; }
#define TWICE(to, from) void to(void) { from(); from(); }
TWICE(f1, f0) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5)
TWICE(f7, f6) TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10) TWICE(f12, f11)
TWICE(f13, f12) TWICE(f14, f13) TWICE(f15, f14) TWICE(f16, f15) TWICE(f17, f16)
TWICE(f18, f17) TWICE(f19, f18) TWICE(f20, f19) TWICE(f21, f20) TWICE(f22, f21) TWICE(f23, f22)

int main(void)
{
    undeclared();
    f23();
    __CPROVER_assert(g > 0, "counted");
}
