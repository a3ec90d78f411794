// covers: verifier-functions
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

void *worker(void *arg)
{
    exit(0);
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(0); /* Never: the program has ended. */
    return 0;
}
