// covers: attributes
#include <stdlib.h>
#include "observe.h"

static int order;

__attribute__((constructor)) static void second(void)
{
    order = order * 10 + 2;
}

static void third(void) __attribute__((constructor));
__attribute__((constructor(200))) static void first(void)
{
    order = order * 10 + 1;
}

static void third(void)
{
    order = order * 10 + 3;
}

__attribute__((destructor)) static void last(void)
{
    observe(order);
    observe_end();
}

__attribute__((destructor)) static void last_but_one(void)
{
    order = order * 10 + 5;
}

static void handler(void)
{
    order = order * 10 + 4;
}

int main(void)
{
    observe(order);
    atexit(handler);
    return 0;
}
