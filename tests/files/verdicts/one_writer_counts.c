// precise: SUCCESSFUL --signed-overflow absent
// One thread increments two counters, each in two steps: that nobody else writes between them is known where it stands, also to the predicates
// of the thread that reads them.
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
    int seen = written, now = version;
    assert(seen <= now);
    return 0;
}
