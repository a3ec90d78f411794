// precise: FAILED --signed-overflow absent
#include <assert.h>
#include <pthread.h>

int next, serving, in;

void *worker(void *argument)
{
    int mine = next;
    next = mine + 1;
    while (serving != mine) {
    }
    in = 1;
    assert(in == 1);
    in = 0;
    serving = serving + 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
