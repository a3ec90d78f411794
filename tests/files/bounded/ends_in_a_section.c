// RUN: cd %d && sapa check --engine bounded -q ends_in_a_section.c
// RUN: cd %d && for mm in sc tso pso; do sapa check --engine bounded --mm $mm -q -DLATE ends_in_a_section.c; done 2>&1; echo $?
// Each round of a loop has a section of its own, in which runs may end: by an assumption, and where an
// assertion has failed. A lock keeps the other thread out in three rounds; given back early in the last one
// (LATE), it does not.
#include <assert.h>
#include <pthread.h>

extern void abort(void);
void reach_error(void) { assert(0); }
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int locked, inside;

void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

void *worker(void *unused)
{
    for (int i = 0; i < 3; i++) {
        __VERIFIER_atomic_begin();
        assume_abort_if_not(!locked);
        locked = 1;
        if (inside) {
            reach_error();
            abort();
        }
        __VERIFIER_atomic_end();
        inside = 1;
#ifdef LATE
        if (i == 2)
            locked = 0;
#endif
        inside = 0;
        locked = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
