// precise: SUCCESSFUL
#define _GNU_SOURCE
#include <assert.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

void *kmalloc(size_t, unsigned);
void *kzalloc(size_t, unsigned);
void kfree(const void *);

int main(void)
{
    int *one = kmalloc(sizeof *one, 0xcc0), *two = kzalloc(2 * sizeof *two, 0xcc0);
    char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (one && two) {
        *one = 1;
        assert(one != two && *one == 1 && two[1] == 0);
    }
    kfree(one);
    assert(sysconf(_SC_PAGESIZE) == 4096 && sysconf(_SC_NPROCESSORS_ONLN) > 0);
    if (page != MAP_FAILED) {
        assert(page[9] == 0);
        page[9] = 4;
        assert(page[9] == 4);
        munmap(page, 4096);
    }
    return 0;
}
