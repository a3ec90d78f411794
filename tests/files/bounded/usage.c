// RUN: cd %d && sapa check --engine bounded --unwind 0 usage.c 2>&1; echo $?
// RUN: cd %d && sapa check --unwind 3 usage.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded --mm tso --buffer-bound 2 usage.c 2>&1; echo $?
int main(void) { return 0; }
