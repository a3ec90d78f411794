// `sapa check --passes`: other passes than those of `default`, which the verdict says; what is left
// out that the backend needs ends inconclusive.
// RUN: sapa check %s --passes default --threads 1
// RUN: sapa check %s --passes 'default,dead-code' --threads 1
// RUN: sapa check %s --passes 'default,dead-code' --threads 1 --json | grep -o '"passes":"[^"]*"'
// RUN: sapa check %s --passes 'inline,mem2reg,lower-sync' --threads 1
// RUN: sapa check %s --passes inline --threads 1
// RUN: sapa check %s --passes '' --threads 1
// RUN: sapa check %s --passes 'default,print-call-graph' --threads 1 2>&1
// RUN: sapa check %s --passes 'default,unknown' --threads 1 2>&1
// RUN: sapa check %s --passes 'default,unknown' --threads 1 --json
// EXIT: 1
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
int count;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    int before = count++;
    assert(count == before + 1);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
}
// check: access atomicity, assuming that thread creation succeeds
// nextln: VERIFICATION SUCCESSFUL
// check: access atomicity, with --passes 'default,dead-code', assuming that thread creation succeeds
// nextln: VERIFICATION SUCCESSFUL
// check: "passes":"default,dead-code"
// check: with --passes 'inline,mem2reg,lower-sync'
// nextln: VERIFICATION SUCCESSFUL
// check: passes_of_check.c:21:5: this synchronisation operation is not modelled (with --passes 'inline')
// nextln: VERIFICATION INCONCLUSIVE
// check: passes_of_check.c:32:5: a call that is not inlined is not modelled (with --passes '')
// nextln: VERIFICATION INCONCLUSIVE
// check: main starts worker
// check: VERIFICATION SUCCESSFUL
// check: pipeline:1:9: error: unknown pass 'unknown'; the passes are
// nextln:     1 | default,unknown
// nextln:       |         ^
// check: "verdict":"usage_error"
