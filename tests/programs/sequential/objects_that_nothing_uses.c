// covers: scopes
#include "observe.h"

#pragma pack(push, 2)
struct bits {
    char c;
    int i : 20;
};
#pragma pack(pop)

long double large = 1.5L;
static long double also_large;
_Complex double number;
struct bits of_bits;

struct later first;
struct later {
    int v;
};
struct later first = {4};
struct last only_declared;
struct last {
    int v[3];
};

union either {
    int i;
    float f;
};

static int of(union either e)
{
    return e.i;
}

int main(void)
{
    union either e = (union either)7;
    observe(first.v + only_declared.v[2]);
    observe(sizeof only_declared);
    observe(e.i + of((union either)1.0f) / 1000);
    observe_end();
    return 0;
}
