// A started thread's own variable has its initial value, those of others have what they were given.
// RUN: sapa check %s --engine auto --predicates %d/between_thread_locals.predicates | tail -1
// check: VERIFICATION FAILED
#include <assert.h>
#include <pthread.h>

_Thread_local unsigned char mine;
unsigned char flag;

void *child(void *unused) {
    while (!flag) {}
    assert(mine != 0);
    return 0;
}

void *parent(void *unused) {
    pthread_t thread;
    mine = 1;
    pthread_create(&thread, 0, child, 0);
    flag = 1;
    for (;;)
        assert(mine == 1);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, parent, 0);
}
