// precise: SUCCESSFUL -DGLOBAL
// precise: SUCCESSFUL -DHEAP
// precise: SUCCESSFUL -DCOMPARE
// precise: SUCCESSFUL -DARRAY
// precise: SUCCESSFUL -DKEPT
// precise: SUCCESSFUL -DERRNO
// precise: SUCCESSFUL -DGLOBAL --mm tso
// precise: SUCCESSFUL -DCOMPARE --mm tso
// precise: SUCCESSFUL -DERRNO --mm pso
// precise: SUCCESSFUL -DHEAP --atomicity statement
// sound: SUCCESSFUL -DENDED
// sound: SUCCESSFUL -DGLOBAL --engine auto
// An address of an object that is local to a thread means that thread's own, wherever it is kept.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Thread_local int x;
_Thread_local int row[3] = {1, 2, 3};
int *_Atomic shared;
_Atomic int ready;
struct node { int *place; };

#if defined GLOBAL
void *worker(void *u) { x = 9; *shared += 4; assert(x == 9); return 0; }
int main(void)
{
    pthread_t t;
    x = 1;
    shared = &x;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 5);
}
#elif defined HEAP
void *worker(void *u)
{
    struct node *n = u;
    x = 9;
    assert(*n->place == 7);
    return 0;
}
int main(void)
{
    pthread_t t;
    struct node *n = malloc(sizeof *n);
    if (!n)
        return 0;
    n->place = &x;
    x = 7;
    pthread_create(&t, 0, worker, n);
    pthread_join(t, 0);
}
#elif defined COMPARE
void *first(void *u) { assert(&x != u); shared = &x; while (!ready) ; return 0; }
void *second(void *u)
{
    int *other = shared;
    assert(&x != u && other != &x);
    ready = 1;
    return 0;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, first, &x);
    pthread_create(&t, 0, second, &x);
    pthread_join(t, 0);
    pthread_join(s, 0);
}
#elif defined ARRAY
void *worker(void *u)
{
    int *p = u;
    p[1] = 8;
    assert(row[1] == 2);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, row);
    pthread_join(t, 0);
    assert(row[1] == 8);
}
#elif defined KEPT
void *worker(void *u) { int *p = u; *p += 1; x = 100; return 0; }
int main(void)
{
    pthread_t t;
    int *p = &x;
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, 0, worker, p);
        pthread_join(t, 0);
    }
    assert(x == 2 && p == &x);
}
#elif defined ERRNO
void *worker(void *u) { errno = ENOMEM; *(int *)u = EINVAL; assert(errno == ENOMEM); return 0; }
int main(void)
{
    pthread_t t;
    errno = 0;
    pthread_create(&t, 0, worker, &errno);
    pthread_join(t, 0);
    assert(errno == EINVAL);
}
#elif defined ENDED
// What is local to a thread that has ended is no object any more: nothing is said of its contents.
void *worker(void *u) { x = 5; shared = &x; return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    x = 3;
    assert(shared != &x && x == 3);
}
#endif
