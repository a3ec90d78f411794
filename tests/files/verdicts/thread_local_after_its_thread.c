// precise: SUCCESSFUL --engine bounded
// precise: SUCCESSFUL
// NOTE assuming valid pointers and array indices
// The thread that the object is local to may have ended when another one reads it: whoever keeps it
// where it was says so.
#include <assert.h>
#include <pthread.h>

__thread int own;

void *reader(void *address)
{
    assert(*(int *)address == 5);
    return 0;
}

void *worker(void *unused)
{
    pthread_t other;
    own = 5;
    pthread_create(&other, 0, reader, &own);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
}
