// One thread adds two, another takes four away, in one atomic operation each.
//
// Safe: the number stays even. -DANY: any number of threads.
// Broken: where it is 10, a thread adds 5 first and 5 then.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int __VERIFIER_nondet_int(void);

atomic_int number;

void *add(void *unused)
{
    for (;;) {
#ifdef BROKEN
        if (number == 10) {
            number += 5;
            number += 5;
        }
#endif
        number += 2;
    }
    return unused;
}

void *take(void *unused)
{
    for (;;) {
        number -= 4;
        int seen = number;
        assert(seen % 2 == 0);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, add, 0);
        pthread_create(&thread, 0, take, 0);
    }
#else
    pthread_create(&thread, 0, add, 0);
    pthread_create(&thread, 0, take, 0);
#endif
    return 0;
}
