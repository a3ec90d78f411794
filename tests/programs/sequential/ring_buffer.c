// covers: struct-arrays
#include "observe.h"

static struct { int data[4]; unsigned head, tail, count; } r;
static void put(int x)
{
    if (r.count == 4)
        return;
    r.data[r.tail++ % 4] = x;
    r.count++;
}
static int get(void)
{
    r.count--;
    return r.data[r.head++ % 4];
}

int main(void)
{
    for (int i = 0; i < 6; i++)
        put(i * i);
    observe(get());
    observe(get());
    put(100);
    observe(r.head * 10 + r.tail);
    while (r.count)
        observe(get());
    observe_end();
    return 0;
}
