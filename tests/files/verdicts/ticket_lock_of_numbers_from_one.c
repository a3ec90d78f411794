// precise: SUCCESSFUL --signed-overflow absent
// What is drawn is what the counter has afterwards, less one.
#include <assert.h>
#include <pthread.h>

int next = 1, serving = 1, in;

void *worker(void *argument)
{
    int mine = __sync_add_and_fetch(&next, 1) - 1;
    while (serving != mine) {
    }
    in = 1;
    assert(in == 1);
    in = 0;
    serving++;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
