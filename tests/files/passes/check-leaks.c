// RUN: cd %d && sapa-cc check-leaks.c | sapa-opt --verify-each -p 'mem2reg,check-leaks'
// Ends of the program are the return of main and exit; abort is none.
#include <stdlib.h>

int main(void) {
    int *object = malloc(4);
    if (*object == 1)
        exit(1);
    if (*object == 2)
        abort();
    free(object);
    return 0;
}
