// precise: SUCCESSFUL
// What Linux and glibc refuse, whenever they are asked.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int count, char **words)
{
    size_t size = 0;
    errno = 0;
    assert(getline(0, &size, stdin) == -1 && errno == EINVAL);
    errno = 0;
    assert(signal(SIGKILL, SIG_IGN) == SIG_ERR && errno == EINVAL);
    assert(signal(1000, SIG_DFL) == SIG_ERR && signal(count > 3 ? 0 : -count - 1, SIG_IGN) == SIG_ERR);
    assert(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    errno = 0;
    assert(mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno);
    return 0;
}
