// precise: SUCCESSFUL --property pointers
// NOTE assuming that memory is accessed as `mmap` allows
// Whole pages are mapped; what may not be written is not told apart.
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void)
{
    char *page = mmap(0, 10, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return 1;
    page[4000] = 1;
    return page[4095];
}
