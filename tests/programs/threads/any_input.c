// covers: input
// expect: failed
// threads: 1
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int last;

static void *reader(void *unused)
{
    int c = getchar();
    if (c != EOF)
        last = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    pthread_join(thread, 0);
    assert(!last);
    return 0;
}
