// The store that a load reads from is found by addresses: through unions and other names, on the heap, for statics and variables that have a
// name in common, for what a thread is given.
// RUN: COLUMNS=120 sapa check --lanes %s || echo "exit $?"
// RUN: COLUMNS=120 sapa check --lanes %s -DHEAP || echo "exit $?"
// RUN: COLUMNS=120 sapa check --lanes %s -DNAMES || echo "exit $?"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

union word {
    int all;
    unsigned char bytes[4];
} u;
int k, *cell;

static int count(void)
{
    static int k;
    k = k + 1;
    return k;
}

void *other(void *argument)
{
#if defined HEAP
    *cell = *cell + 1;
#elif defined NAMES
    int k = (int)(long)argument;
    {
        int k = count();
        assert(k == 1);
    }
    assert(k != 5);
#else
    u.bytes[1] = 1;
    u.all = 512;
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    cell = malloc(sizeof *cell);
    *cell = 4;
    pthread_create(&thread, 0, other, (void *)5);
    pthread_join(thread, 0);
    assert(u.bytes[1] != 2);
    assert(*cell != 5);
}
