// Each thread needs a fence between its store and its load. A patch keeps what the program means: a body of an `if` gets
// braces, and the patched program is proved.
// RUN: cd %d && sapa fences --mm tso store_buffering.c --patch %t | grep -v 'as a patch'
// RUN: cat %t/fences-1.patch
// RUN: cp %s %t/ && cd %t && git apply fences-1.patch && sapa check --mm tso -q store_buffering.c
// RUN: cd %d && sapa fences --mm pso -q store_buffering.c
// RUN: cd %d && sapa fences --mm tso --atomicity statement store_buffering.c --patch %t | grep -v 'as a patch'
// RUN: cd %d && sapa fences --mm tso -DFENCE store_buffering.c
// RUN: cd %d && sapa fences --mm tso --json store_buffering.c | grep -o '"fences":{"places":[0-9]*,"checks":[0-9]*,"complete":true'
#include <assert.h>
#include <pthread.h>

int x, y, a, b;

#define SET(v) v = 1
#ifdef FENCE
#define fence() __sync_synchronize()
#else
#define fence()
#endif

void *first(void *arg)
{
    if (arg == 0)
        x = 1;
    fence();
    a = y;
    return 0;
}

void *second(void *arg)
{
    SET(y); fence(); b = x;
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
