// sound: SUCCESSFUL --engine bounded
// Runs that end in an atomic section, after a great many blocks.
#include <assert.h>
#include <pthread.h>

extern void abort(void);
extern _Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;

#define ADD do { x++; } while (0);
#define FOUR(s) s s s s
#define MANY FOUR(FOUR(FOUR(FOUR(FOUR(ADD)))))

void *worker(void *unused)
{
    for (int i = 0; i < 2; i++) {
        __VERIFIER_atomic_begin();
        if (__VERIFIER_nondet_bool()) {
            MANY
            abort();
        }
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    assert(x == 0);
}
