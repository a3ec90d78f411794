// What the system may refuse: by default it refuses nothing, and the verdict says so.
// RUN: sapa check %s --threads 1 | tail -2; sapa check %s --threads 1 --allocations may-fail | tail -3; sapa check %s --threads 1 --thread-creation may-fail | tail -3
// RUN: sapa check %s --threads 1 -DCAREFUL --allocations may-fail --thread-creation may-fail | tail -2
// RUN: sapa-cc %s --allocations may-fail | grep -c 'note "assuming that allocations succeed"'; sapa-cc %s | grep -c 'note "assuming that allocations succeed"'
// RUN: sapa-cc -DPLAIN %s | grep -c '^note'
// RUN: sapa-cc %s | sapa check - --allocations may-fail 2>&1
// EXIT: 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int done;

void *work(void *unused) {
    done = 1;
    return 0;
}

#ifdef PLAIN
int main(void) { assert(done == 0); }
#else
int main(void) {
    int *object = malloc(sizeof *object);
#ifdef CAREFUL
    if (!object)
        return 1;
#else
    assert(object);
#endif
    pthread_t t;
    int failed = pthread_create(&t, 0, work, 0);
#ifdef CAREFUL
    if (failed)
        return 1;
#else
    assert(!failed);
#endif
#ifdef CAREFUL
    assert(object != 0 && failed == 0);
#else
    pthread_join(t, 0);
    assert(done);
#endif
}
#endif
// check: assuming that allocations succeed, assuming that thread creation succeeds
// nextln: VERIFICATION SUCCESSFUL
// check: Failed assertion
// nextln: assuming that thread creation succeeds
// nextln: VERIFICATION FAILED
// check: Failed assertion
// nextln: assuming that allocations succeed
// nextln: VERIFICATION FAILED
// check: access atomicity
// nextln: VERIFICATION SUCCESSFUL
// check: 0
// nextln: 1
// nextln: 0
// nextln: error: --allocations is a matter of the C frontend
