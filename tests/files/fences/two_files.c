// A patch of two files, which fences are behind each of.
// RUN: cd %d && sapa fences --mm tso two_files.c two_files/second.c --patch %t | grep -v 'as a patch'
// RUN: cat %t/fences-1.patch
// RUN: cp -r %s %d/two_files %t/ && cd %t && git apply fences-1.patch && sapa check --mm tso -q two_files.c two_files/second.c
#include "two_files/shared.h"
#include <assert.h>

int x, y, a, b;

static void *first(void *arg)
{
    x = 1; // seen by the other
    a = y;
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(a == 1 || b == 1);
    return 0;
}
