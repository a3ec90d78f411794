// precise: SUCCESSFUL --threads 1
// NOTE assuming that divisions and shifts are defined
// A division whose quotient nobody uses is executed too, in any thread, in a function, in a loop.
#include <pthread.h>

int zero, seen;

static int half_of(int x, int by) { return x / by; }

void *divide(void *unused) {
    for (int i = 3; i > -1; i--) {
        half_of(12, i);
        __CPROVER_atomic_begin();
        seen = i;
        __CPROVER_atomic_end();
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, divide, 0);
    __CPROVER_atomic_begin();
    int last = seen;
    __CPROVER_atomic_end();
    __CPROVER_assert(last != 0 || last == 0 && zero == 0, "as far as the loop gets");
    pthread_join(t, 0);
    __CPROVER_assert(zero, "the thread never ends");
}
