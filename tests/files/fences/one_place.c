// A store in a function that both threads call is one place, with one fence; behind a call of the library one stands behind
// the whole call.
// RUN: cd %d && sapa fences --mm tso one_place.c --patch %t | grep -v 'as a patch'
// RUN: cat %t/fences-1.patch
// RUN: cd %d && sapa fences --mm tso -DLIBRARY one_place.c --patch %t | grep -v 'as a patch'
// RUN: cat %t/fences-1.patch
#include <assert.h>
#include <pthread.h>
#include <string.h>

int x, y, a, b;

static void set(int *flag)
{
#ifdef LIBRARY
    int one = 1;
    memcpy(flag, &one, sizeof one);
#else
    *flag = 1;
#endif
}

void *first(void *arg)
{
    set(&x);
    a = y;
    return 0;
}

void *second(void *arg)
{
    set(&y);
    b = x;
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
