// covers: threads-in-loops
// expect: failed
// threads: 2
#include <assert.h>
#include <pthread.h>

extern void abort(void);
void reach_error(void) { assert(0); }
int x;

void *worker(void *arg)
{
    int l = x;
    x = l + 1;
    if (x != l + 1)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
