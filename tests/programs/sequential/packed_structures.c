// covers: layout
#include "observe.h"

struct packed { char c; long l; short s; } __attribute__((packed));
struct aligned { char c; } __attribute__((aligned(16)));
struct member { char c; int i __attribute__((aligned(8))); };

int main(void)
{
    struct packed p = { 1, 2, 3 };
    observe(sizeof p);
    observe(p.l);
    observe(sizeof(struct aligned));
    observe(_Alignof(struct aligned));
    observe(sizeof(struct member));
    observe_end();
    return 0;
}
