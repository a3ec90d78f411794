// What leaves a program undecided is shown where it stands in the source, or where that cannot be read, as it
// stands in the IR; the line before the verdict has it too.
// EXIT: 5
// RUN: cd "$(dirname %t)"; printf 'int f(int *n) {\n\tint m = *n - 1; return *n ? f(&m) : 0;\n}\nint main(void) { int n = 3; return f(&n); }\n' > a.c; sapa check --engine auto a.c 2>&1
// RUN: cd "$(dirname %t)"; sapa check --engine auto -q a.c 2>&1
// RUN: cd "$(dirname %t)"; sapa-cc a.c | sapa-opt -p inline 2>&1
// RUN: cd "$(dirname %t)"; sapa-cc a.c -o a.girb; mv a.c b.c; sapa-opt -p inline a.girb 2>&1
// RUN: cd "$(dirname %t)"; printf 'char huge[4294967296];\nint main(void) {\n  int i;\n  huge[i] = 1;\n  assert(huge[i] == 1);\n}\n' > d.c; sapa check --engine auto d.c 2>&1
