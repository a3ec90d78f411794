// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DHEAP buffers.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DHEAP -DRELEASE buffers.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DPARTS buffers.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DRECURSION buffers.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DRECURSION -DFENCE buffers.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DBLOCKED buffers.c; done 2>&1
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DBRANCHES buffers.c; done 2>&1
// RUN: cd %d && sapa check --engine bounded --mm tso -DBLOCKED buffers.c 2>&1; echo $?
// Stores that wait, in runs of bounded length: one SUCCESSFUL or FAILED for each model.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void __CPROVER_assume(int);
int __VERIFIER_nondet_int(void);
int x, y, seen_x = 1, seen_y = 1;

#ifdef HEAP
// A message is sent as a pointer to what was allocated for it: only PSO lets the pointer overtake it.
struct message { int number, check; };
struct message *mailbox;
void *first(void *unused)
{
    struct message *message = malloc(sizeof *message);
    message->number = 0;
    message->check = 0;
    __sync_synchronize();
    message->number = 7;
    message->check = 7;
#ifdef RELEASE
    __atomic_store_n(&mailbox, message, __ATOMIC_RELEASE);
#else
    mailbox = message;
#endif
    return 0;
}
void *second(void *unused)
{
    struct message *message = mailbox;
    if (message)
        assert(message->check == 7 && message->number == 7);
    return 0;
}
#elif defined PARTS
// Who reads all of what a part of waits for reads what has reached memory: as a fence.
union { unsigned whole; unsigned char part[4]; } u, v;
void *first(void *unused)
{
    u.part[0] = 1;
    unsigned own = u.whole;
    seen_x = own ? v.part[0] : 1;
    return 0;
}
void *second(void *unused)
{
    v.part[0] = 1;
    unsigned own = v.whole;
    seen_y = own ? u.part[0] : 1;
    return 0;
}
#elif defined RECURSION
// Store buffering, in functions that call themselves.
int give(int *to, int depth)
{
    if (depth)
        return give(to, depth - 1);
    *to = 1;
#ifdef FENCE
    __sync_synchronize();
#endif
    return 0;
}
void *first(void *unused) { give(&x, 2); seen_y = y; return 0; }
void *second(void *unused) { give(&y, 2); seen_x = x; return 0; }
#elif defined BLOCKED
// What a thread has stored before it stops is still seen by others.
void *first(void *unused) { x = 1; __CPROVER_assume(0); return 0; }
void *second(void *unused) { assert(x == 0); return 0; }
#elif defined BRANCHES
// A fence on one path keeps nothing in order on another one.
int choice;
void *first(void *unused)
{
    x = 1;
    if (choice) {
        seen_x = 1;
        __sync_synchronize();
    }
    seen_y = y;
    return 0;
}
void *second(void *unused)
{
    y = 1;
    __sync_synchronize();
    seen_x = x;
    return 0;
}
#endif

int main(void)
{
    pthread_t one, other;
#ifdef BRANCHES
    choice = __VERIFIER_nondet_int();
#endif
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
#ifndef BLOCKED
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(seen_x || seen_y);
#endif
    return 0;
}
