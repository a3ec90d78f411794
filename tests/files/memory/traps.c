// What is easily wrong about store buffers, by all runs of the program as it is compiled, under SC, TSO and
// PSO: each case says what must come of it.
// RUN: for t in STOPS SPINS JOINED MUTEXES SECTIONS GHOSTS STACK HEAP; do echo $t; for m in sc tso pso; do sapa-cc -D$t %s | sapa-opt -p "print-runs{memory=$m}" --no-output - 2>&1 | sed -n 's/ (.*//; s/ at .*:$/ fails/; 1p'; done; done
// RUN: for t in OWN FREED WHOLE PART COPY ENDED PASSED FIRST "FIRST -DRMW"; do echo $t; for m in sc tso pso; do sapa-cc -D$t %s | sapa-opt -p "print-runs{memory=$m}" --no-output - 2>&1 | sed -n 's/ (.*//; s/ at .*:$/ fails/; 1p'; done; done
// RUN: for t in SPIN_LOCKS ASSEMBLY BUILTINS KINDS WEAK_KINDS; do echo $t; for m in sc tso pso; do sapa-cc -D$t %s | sapa-opt -p "print-runs{memory=$m}" --no-output - 2>&1 | sed -n 's/ (.*//; s/ at .*:$/ fails/; 1p'; done; done
// RUN: echo STATEMENTS; for m in sc tso pso; do sapa-cc --atomicity statement -DSTATEMENTS %s | sapa-opt -p "print-runs{memory=$m}" --no-output - 2>&1 | sed -n 's/ (.*//; s/ at .*:$/ fails/; 1p'; done
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int x, y, a, b;

#define THREADS                       \
    pthread_t t, u;                   \
    pthread_create(&t, 0, first, 0);  \
    pthread_create(&u, 0, second, 0); \
    pthread_join(t, 0);               \
    pthread_join(u, 0)

#ifdef STOPS
// A thread that has stopped has stored all the same.
void *first(void *unused) {
    x = 1;
    __VERIFIER_assume(0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    assert(!x);
}
#elif defined SPINS
// So has one that spins for ever.
void *first(void *unused) {
    x = 1;
    while (!y) {
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    assert(!x);
}
#elif defined JOINED
// Who joins a thread sees all that it has stored.
void *first(void *unused) {
    x = 1;
    y = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_join(t, 0);
    assert(x && y);
}
#elif defined MUTEXES
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
void *first(void *unused) {
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    a = y;
    return 0;
}
void *second(void *unused) {
    pthread_mutex_lock(&n);
    y = 1;
    pthread_mutex_unlock(&n);
    b = x;
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined SPIN_LOCKS
// Only taking one is a fence.
pthread_spinlock_t m, n;
void *first(void *unused) {
    pthread_spin_lock(&m);
    x = 1;
    pthread_spin_unlock(&m);
    a = y;
    return 0;
}
void *second(void *unused) {
    pthread_spin_lock(&n);
    y = 1;
    pthread_spin_unlock(&n);
    b = x;
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined ASSEMBLY || defined BUILTINS || defined KINDS || defined WEAK_KINDS
// Fences by their names; those that do less keep stores in order.
void _mm_mfence(void), _mm_sfence(void), _mm_lfence(void);
#ifdef ASSEMBLY
#define FULL __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory")
#define STORES __asm__ volatile("membar #LoadStore | #StoreStore" ::: "memory")
#elif defined BUILTINS
#define FULL __builtin_ia32_mfence()
#define STORES _mm_lfence(), _mm_sfence()
#elif defined KINDS
#define FULL __CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence")
#define STORES __CPROVER_fence("WWfence")
#else
#define FULL __CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence")
#define STORES __CPROVER_fence("RRfence", "RWfence")
#endif
int p, q;
void *first(void *unused) {
    x = 1;
    FULL;
    a = y;
    p = 1;
    STORES;
    q = 1;
    return 0;
}
void *second(void *unused) {
    y = 1;
    FULL;
    b = x;
    if (q)
        assert(p);
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined SECTIONS
// What stands before a section has reached memory in it, and what it stores has after it.
void *first(void *unused) {
    x = 1;
    __VERIFIER_atomic_begin();
    a = y;
    __VERIFIER_atomic_end();
    return 0;
}
void *second(void *unused) {
    __VERIFIER_atomic_begin();
    y = 1;
    __VERIFIER_atomic_end();
    b = x;
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined STATEMENTS
// One step is not one section of the bus.
void *first(void *unused) {
    x = 1;
    a = y;
    return 0;
}
void *second(void *unused) {
    y = 1;
    b = x;
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined GHOSTS
// These names are without buffers.
int my__unbuffered_x, __CPROVER_y;
void *first(void *unused) {
    my__unbuffered_x = 1;
    a = __CPROVER_y;
    return 0;
}
void *second(void *unused) {
    __CPROVER_y = 1;
    b = my__unbuffered_x;
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined STACK
// An object on the stack whose address others have is like any other.
int *p;
void *first(void *unused) {
    *p = 1;
    a = y;
    return 0;
}
int main(void) {
    pthread_t t;
    int z = 0;
    p = &z;
    pthread_create(&t, 0, first, 0);
    y = 1;
    b = z;
    pthread_join(t, 0);
    assert(a || b);
}
#elif defined HEAP
int *p;
void *first(void *unused) {
    p[0] = 1;
    a = p[1];
    return 0;
}
void *second(void *unused) {
    p[1] = 1;
    b = p[0];
    return 0;
}
int main(void) {
    p = calloc(2, sizeof *p);
    THREADS;
    assert(a || b);
}
#elif defined OWN
// What only one thread comes to does not wait, not even where a part of it is read: x stays in the buffer.
void set(char *part) { *part = 1; }
void *first(void *unused) {
    union {
        int whole;
        char part[4];
    } own = {0};
    x = 1;
    set(own.part);
    if (own.whole)
        a = y;
    return 0;
}
void *second(void *unused) {
    y = 1;
    __sync_synchronize();
    b = x;
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined FREED
// What waits for an object that has ended is lost, and no access is invalid.
void *first(void *unused) {
    for (int i = 0; i < 2; i++) {
        int *p = malloc(sizeof *p);
        *p = 1;
        free(p);
    }
    return 0;
}
void *second(void *unused) { return 0; }
int main(void) {
    THREADS;
}
#elif defined WHOLE
// A part of what waits is seen at once.
union {
    int whole;
    char part[4];
} u, w;
void *first(void *unused) {
    u.whole = 0x01010101;
    if (u.part[2])
        a = w.part[0];
    else
        a = 2;
    return 0;
}
void *second(void *unused) {
    w.part[0] = 1;
    b = u.part[0];
    return 0;
}
int main(void) {
    a = 1;
    THREADS;
    assert(a != 2 && (a || b));
}
#elif defined PART
// Of more than what waits, all must have reached memory: that is a fence, if the other thread has one too.
union {
    int whole;
    char part[4];
} u, w;
void *first(void *unused) {
    u.part[1] = 1;
    if (u.whole == 0x100)
        a = w.part[0];
    return 0;
}
void *second(void *unused) {
    w.part[0] = 1;
    if (w.whole == 1)
        b = u.part[1];
    return 0;
}
int main(void) {
    THREADS;
    assert(a || b);
}
#elif defined COPY
// The members of a structure reach memory one after the other.
struct {
    int one, two;
} s, r = {1, 1};
void *first(void *unused) {
    s = r;
    return 0;
}
void *second(void *unused) {
    a = s.two;
    b = s.one;
    return 0;
}
int main(void) {
    THREADS;
    assert(!a || b);
}
#elif defined ENDED
// States do not grow with what has been stored.
void *first(void *unused) {
    for (;;) {
        x = 1;
        x = 0;
        __sync_synchronize();
    }
}
void *second(void *unused) {
    a = x;
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(u, 0);
    assert(a == 0 || a == 1);
}
#elif defined PASSED
// Who starts a thread has stored all before: the thread sees it.
void *first(void *unused) {
    assert(x == 2 && y);
    return 0;
}
int main(void) {
    pthread_t t;
    x = 1;
    x = 2;
    y = 1;
    pthread_create(&t, 0, first, 0);
}
#elif defined FIRST
// No store passes one that waits: read-modify-writes and seq_cst stores neither.
void *first(void *unused) {
    x = 1;
#ifdef RMW
    __sync_fetch_and_add(&y, 1);
#else
    __atomic_store_n(&y, 1, __ATOMIC_SEQ_CST);
#endif
    return 0;
}
void *second(void *unused) {
    a = y;
    b = x;
    return 0;
}
int main(void) {
    THREADS;
    assert(!a || b);
}
#endif
