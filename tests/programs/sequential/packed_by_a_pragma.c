// covers: attributes
#include "observe.h"

#pragma pack(push, 1)
struct one {
    char c;
    int i;
    short s;
};
#pragma pack(push, name, 4)
struct four {
    char c;
    long long l;
    char d __attribute__((aligned(8)));
};
#pragma pack(pop, name)
union both {
    long long l;
    char c[3];
};
#pragma pack(2)
struct two {
    char c;
    struct four f;
    double d;
};
#pragma pack(pop)
_Pragma("pack(8)")
struct natural {
    char c;
    long long l;
};
#pragma pack()

int main(void)
{
    struct one o = {1, 0x01020304, 5}, p;
    observe(sizeof(struct one));
    observe(sizeof(struct four) * 100 + _Alignof(struct four));
    observe(__builtin_offsetof(struct four, l) * 100 + __builtin_offsetof(struct four, d));
    observe(sizeof(union both) * 100 + _Alignof(union both));
    observe(sizeof(struct two) * 100 + __builtin_offsetof(struct two, d));
    observe(sizeof(struct natural) * 100 + __builtin_offsetof(struct natural, l));
    p = o;
    observe(p.i + p.s);
    observe_end();
    return 0;
}
