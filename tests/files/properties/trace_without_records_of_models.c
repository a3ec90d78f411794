// RUN: cd %d && sapa check --property leaks trace_without_records_of_models.c
// What is allocated in a model is on record as well, and no step of the program either.
// EXIT: 10
#include <string.h>

int main(void) {
    char *copy = strdup("a");
    return copy[0] != 'a';
}
