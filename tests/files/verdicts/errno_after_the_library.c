// precise: SUCCESSFUL --threads 0
// NOTE assuming that errno is not changed by `malloc`, `printf`
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    errno = 0;
    printf("now\n");
    int *object = malloc(sizeof *object);
    __CPROVER_assert(errno == 0, "as it was");
}
