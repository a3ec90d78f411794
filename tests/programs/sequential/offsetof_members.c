// covers: layout
#include <stddef.h>
#include "observe.h"

struct inner { char a; int b; };
struct outer { short a[3]; struct inner in; };

int main(void)
{
    observe(offsetof(struct outer, in));
    observe(offsetof(struct outer, in.b));
    observe(offsetof(struct outer, a[2]));
    struct outer o = { 0 };
    struct inner *i = &o.in;
    observe(((struct outer *)((char *)i - offsetof(struct outer, in))) == &o);
    observe_end();
    return 0;
}
