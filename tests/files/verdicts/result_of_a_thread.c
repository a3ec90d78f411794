// precise: SUCCESSFUL --engine bounded --unwind 4
// precise: FAILED --engine bounded --unwind 4 -DBROKEN
// precise: SUCCESSFUL --engine bounded --unwind 4 -DANY
// precise: FAILED --engine bounded --unwind 4 -DANY -DBROKEN
// precise: SUCCESSFUL
// precise: FAILED -DBROKEN
// What threads leave on the heap and in slots of their own is known where they are waited for: products of any numbers
// are compared as they were written.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define WORKERS 3

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct job { unsigned a, b, product; };

static void *multiply(void *argument)
{
    struct job *job = argument;
    unsigned *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    job->product = job->a * job->b;
    *copy = job->product;
#ifdef BROKEN
    if (job->a == 77)
        *copy += 1;
#endif
    return copy;
}

int main(void)
{
    pthread_t threads[WORKERS];
    struct job jobs[WORKERS];

    for (int i = 0; i < WORKERS; i++) {
        jobs[i].a = __VERIFIER_nondet_uint();
        jobs[i].b = __VERIFIER_nondet_uint();
        pthread_create(&threads[i], 0, multiply, &jobs[i]);
    }
#ifdef ANY
    // One of them, whichever.
    int chosen = __VERIFIER_nondet_int() ? 0 : 2;
    void *result;
    pthread_join(threads[chosen], &result);
    unsigned *copy = result;
    assert(*copy == jobs[chosen].product);
#else
    for (int i = 0; i < WORKERS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        unsigned *copy = result;
        assert(*copy == jobs[i].a * jobs[i].b);
        free(copy);
    }
#endif
}
