// What is allocated has to be pointed to until it is freed: no property says that, so that only programs that allocate nothing are
// known to do so. What else is asked fails as ever.
// RUN: cd %d && sapa check --property memsafety.prp memory_that_is_tracked.c
// RUN: cd %d && sapa check --property memsafety.prp memory_that_is_tracked.c -DALLOCATES
// RUN: cd %d && sapa check --property memsafety.prp memory_that_is_tracked.c -DALLOCATES --all | tail -3
// RUN: cd %d && sapa check -q --property memsafety.prp memory_that_is_tracked.c -DALLOCATES -DTWICE
// RUN: cd %d && sapa check --property memsafety.prp memory_that_is_tracked.c -DALLOCATES --certificate %t.cert 2>&1
// RUN: cd %d && sapa fences --mm tso --property memsafety.prp memory_that_is_tracked.c 2>&1
// RUN: cd %d && sapa check --property memtrack.prp memory_that_is_tracked.c 2>&1
// EXIT: 2
#include <pthread.h>
#include <stdlib.h>

int shared;

static void *make(void)
{
    return malloc(sizeof(int));
}

static void *other(void *argument)
{
    *(int *)argument = 1;
    return 0;
}

int main(void)
{
    int own = 0, *p = &own;
    pthread_t thread;
#ifdef ALLOCATES
    p = make();
    *p = 0;
#endif
    pthread_create(&thread, 0, other, p);
    pthread_join(thread, 0);
    shared = *p;
#ifdef ALLOCATES
    free(p);
#endif
#ifdef TWICE
    free(p);
#endif
    return 0;
}
