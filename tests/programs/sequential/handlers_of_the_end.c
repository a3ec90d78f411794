// covers: exit-handlers
#include <stdlib.h>
#include "observe.h"

static int count;

static void last(void)
{
    observe(++count);
    observe_end();
}

static void added(void)
{
    observe(++count * 10);
}

static void first(void)
{
    observe(++count * 100);
    atexit(added);
}

static void leave(int code)
{
    if (code)
        exit(0);
}

int main(void)
{
    observe(atexit(last));
    observe(atexit(first));
    leave(0);
    observe(7);
    leave(1);
    observe(8);
    return 0;
}
