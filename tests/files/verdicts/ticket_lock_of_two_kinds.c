// precise: SUCCESSFUL --signed-overflow absent
// Threads of two functions draw from one counter.
#include <assert.h>
#include <pthread.h>

int next, serving, data;

void take(void)
{
    int mine = __sync_fetch_and_add(&next, 1);
    while (serving != mine) {
    }
}

void release(void)
{
    serving++;
}

void *writer(void *argument)
{
    take();
    data = 1;
    assert(data == 1);
    data = 0;
    release();
    return 0;
}

void *reader(void *argument)
{
    take();
    assert(data == 0);
    release();
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1) {
        pthread_create(&t, 0, writer, 0);
        pthread_create(&t, 0, reader, 0);
    }
}
