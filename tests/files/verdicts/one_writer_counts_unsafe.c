// precise: FAILED --signed-overflow absent
// The version is read first, so that more may be written since.
#include <assert.h>
#include <pthread.h>

static int version, written;

static void *writer(void *argument)
{
    for (;;) {
        version++;
        written++;
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int now = version, seen = written;
    assert(seen <= now);
    return 0;
}
