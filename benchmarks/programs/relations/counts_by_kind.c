// Events of three kinds, each counted, and all together.
//
// Safe: the three are the total. -DANY: any number of threads.
// Broken: an event of an unknown kind counts in the total only.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned errors, warnings, notes, total;

void *report(void *unused)
{
    for (;;) {
        int kind = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        switch (kind) {
        case 0: errors++; break;
        case 1: warnings++; break;
#ifdef BROKEN
        case 2: notes++; break;
#else
        default: notes++; break;
#endif
        }
        total++;
        assert(errors + warnings + notes == total);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
        pthread_create(&thread, 0, report, 0);
#else
    pthread_create(&thread, 0, report, 0);
    pthread_create(&thread, 0, report, 0);
#endif
    return 0;
}
