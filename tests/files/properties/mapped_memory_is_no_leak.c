// precise: SUCCESSFUL --property leaks
// precise: SUCCESSFUL --property leaks -DKEPT
// What is mapped is unmapped, or kept to the end: `leaks` looks at what has to be freed.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

static char *map(void) {
    void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? 0 : page;
}

int main(void) {
    char *page = map(), *other = malloc(1);
    if (page)
        page[0] = 1;
#ifndef KEPT
    if (page)
        munmap(page, 4096);
#endif
    free(other);
    return 0;
}
