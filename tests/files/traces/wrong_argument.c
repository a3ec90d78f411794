// All threads get the address of the loop's variable, which has gone on when they read it.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int done[3];

void *worker(void *argument)
{
    int mine = *(int *)argument;
    done[mine] = -1;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &i);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], 0);
    assert(done[0] == -1);
}
