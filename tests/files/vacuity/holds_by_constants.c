// An assertion of which the passes leave no code is not one that no run comes to.
// RUN: sapa check %s --threads 1
// check: not known whether the assertion at
// check: VERIFICATION SUCCESSFUL
#include <assert.h>
#include <pthread.h>
int g;
void *worker(void *unused)
{
    int b = 1;
    assert(b != 4);
    g = 1;
    return 0;
}
int main(void)
{
    pthread_t handle;
    pthread_create(&handle, 0, worker, 0);
}
