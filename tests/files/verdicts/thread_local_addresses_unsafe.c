// precise: FAILED -DGLOBAL
// precise: FAILED -DHEAP
// precise: FAILED -DCOMPARE
// precise: FAILED -DARRAY
// precise: FAILED -DMEMBER
// precise: FAILED -DKEPT
// precise: FAILED -DERRNO
// precise: FAILED -DWORKERS
// precise: FAILED -DNUMBER
// precise: FAILED -DSTATIC
// precise: FAILED -DWAITS --mm tso
// precise: FAILED -DWAITS --mm pso
// precise: FAILED -DORDER --mm tso
// precise: FAILED -DORDER --mm pso
// precise: FAILED -DWORKERS --mm tso
// precise: FAILED -DCOMPARE --atomicity statement
// precise: FAILED -DARRAY --engine bounded --unwind 3
// An address of an object that is local to a thread means that thread's own, wherever it is kept.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Thread_local int x;
_Thread_local int row[3] = {1, 2, 3};
_Thread_local struct { int a, b; } pair;
int *_Atomic shared;
_Atomic int ready, seen;
struct node { int *place; struct node *next; };

#if defined GLOBAL
void *worker(void *u) { *shared += 4; return 0; }
int main(void)
{
    pthread_t t;
    x = 1;
    shared = &x;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 1);
}
#elif defined HEAP
void *worker(void *u)
{
    struct node *n = u;
    x = 9;
    assert(*n->next->place != 7);
    return 0;
}
int main(void)
{
    pthread_t t;
    struct node *n = malloc(sizeof *n);
    if (!n)
        return 0;
    n->next = n;
    n->place = &x;
    x = 7;
    pthread_create(&t, 0, worker, n);
    pthread_join(t, 0);
}
#elif defined COMPARE
void *first(void *u) { shared = &x; while (!seen) ; return 0; }
void *second(void *u)
{
    int *other = shared;
    if (other)
        assert(other == &x);
    seen = 1;
    return 0;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(s, 0);
}
#elif defined ARRAY
void *worker(void *u)
{
    int *p = u;
    p[1] = 8;
    row[1] = 5;
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, row);
    pthread_join(t, 0);
    assert(row[1] == 2);
}
#elif defined MEMBER
void *worker(void *u) { *(int *)u = 3; return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, &pair.b);
    pthread_join(t, 0);
    assert(pair.a + pair.b == 0);
}
#elif defined KEPT
// A pointer that a thread keeps is to the object of the thread that made it, after others have ended.
static int *keep(int *p) { return p; }
void *worker(void *u) { int *p = keep(u); *p += 1; x = 100; return 0; }
int main(void)
{
    pthread_t t;
    int *p = &x;
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, 0, worker, p);
        pthread_join(t, 0);
    }
    assert(*p != 2);
}
#elif defined ERRNO
void *worker(void *u) { *(int *)u = EINVAL; return 0; }
int main(void)
{
    pthread_t t;
    errno = 0;
    pthread_create(&t, 0, worker, &errno);
    pthread_join(t, 0);
    assert(errno == 0);
}
#elif defined WORKERS
// One worker writes what is local to another one, which waits for it.
void *first(void *u)
{
    x = 1;
    shared = &x;
    while (!ready)
        ;
    assert(x == 1);
    return 0;
}
void *second(void *u)
{
    int *p = shared;
    x = 3;
    if (p)
        *p = 2;
    ready = 1;
    return 0;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(s, 0);
}
#elif defined NUMBER
void *worker(void *u) { *(int *)(unsigned long)u = 6; return 0; }
int main(void)
{
    pthread_t t;
    unsigned long n = (unsigned long)&x;
    pthread_create(&t, 0, worker, (void *)n);
    pthread_join(t, 0);
    assert(x == 0);
}
#elif defined ORDER
// Stores to what is local to threads wait as others do.
int *volatile mine, *volatile theirs;
int r, s;
void *worker(void *u) { x = 0; theirs = &x; __sync_synchronize(); ready = 1; while (!seen) ; x = 1; r = *mine; seen = 2; while (seen != 3) ; return 0; }
int main(void)
{
    pthread_t t;
    mine = &x;
    pthread_create(&t, 0, worker, 0);
    while (!ready)
        ;
    seen = 1;
    x = 1;
    s = *theirs;
    while (seen != 2)
        ;
    assert(r || s);
    seen = 3;
    pthread_join(t, 0);
}
#elif defined WAITS
// As above, where only one of them is one.
int *volatile mine;
volatile int flag;
int r;
void *worker(void *u) { flag = 1; r = *mine; return 0; }
int main(void)
{
    pthread_t t;
    int s;
    mine = &x;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    s = flag;
    pthread_join(t, 0);
    assert(r || s);
}
#elif defined STATIC
static int *count(void) { static _Thread_local int n; n++; return &n; }
void *worker(void *u) { int *p = u; assert(p == count()); return 0; }
int main(void)
{
    pthread_t t;
    int *p = count();
    pthread_create(&t, 0, worker, p);
    pthread_join(t, 0);
}
#endif
