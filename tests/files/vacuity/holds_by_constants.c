// An assertion of which the passes leave no code, since it holds by constants, is one that runs come
// to: that is seen in the program as it was before the passes.
// RUN: sapa check %s --threads 1
// check: access atomicity, assuming that thread creation succeeds
// nextln: VERIFICATION SUCCESSFUL
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
