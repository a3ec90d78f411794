// precise: SUCCESSFUL
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text;
    int length = asprintf(&text, "%d-%s", 42, "ab");
    assert(length == 5 && !strcmp(text, "42-ab"));
    free(text);
    assert(strerror(2)[0]);
    return 0;
}
