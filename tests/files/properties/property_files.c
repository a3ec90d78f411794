// RUN: cd %d && sapa check --property overflow.prp property_files.c
// RUN: cd %d && sapa check --property unreach.prp property_files.c 2>&1
// RUN: cd %d && sapa check --property terminates.prp property_files.c 2>&1
// RUN: cd %d && sapa check --property none.prp property_files.c 2>&1
// RUN: cd %d && sapa check --property bonds property_files.c 2>&1
// RUN: cd %d && sapa check --property '' property_files.c 2>&1
// Property files of SV-COMP; what is none of the properties.
// EXIT: 1
int __VERIFIER_nondet_int(void);
void reach_error(void) { __builtin_trap(); }

int main(void) {
    int x = __VERIFIER_nondet_int();
    x = x + 1;
    return 0;
}
