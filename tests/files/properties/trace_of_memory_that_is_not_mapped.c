// RUN: cd %d && sapa check trace_of_memory_that_is_not_mapped.c
// `MAP_FAILED` is no address of an object.
// EXIT: 10
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

int main(void) {
    void *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(page != MAP_FAILED);
    return 0;
}
