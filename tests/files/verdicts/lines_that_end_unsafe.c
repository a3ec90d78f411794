// precise: FAILED
// A line may be the last one, and have no end.
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char *line = 0;
    size_t size = 0;
    ssize_t length = getline(&line, &size, stdin);
    assert(length < 0 || line[length - 1] == '\n');
    return 0;
}
