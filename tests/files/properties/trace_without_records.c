// RUN: cd %d && sapa check --property pointers,leaks trace_without_records.c
// What the passes keep a record of is no step of the program.
// EXIT: 10
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    return *p;
}
