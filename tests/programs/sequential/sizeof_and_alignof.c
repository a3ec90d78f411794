// covers: sizeof
#include "observe.h"

struct pair { int a, b; };
struct three { char c[3]; };
struct links { void *next; long tag; };
struct holder { char c; _Atomic struct pair pair; char d; _Atomic struct three three; };

int main(void)
{
    int a[10];
    char *s = "four";
    struct { char c; long l; } t;
    int x = 1;
    observe(sizeof a / sizeof *a);
    observe(sizeof s);
    observe(sizeof "four");
    observe(sizeof t);
    observe(sizeof(x++));
    observe(x);
    observe(_Alignof(long) + __alignof__(x));
    observe(__builtin_offsetof(struct holder, pair));
    observe(__builtin_offsetof(struct holder, three));
    observe(sizeof(struct holder));
    observe(_Alignof(_Atomic struct pair) + _Alignof(_Atomic struct links));
    observe(_Alignof(_Atomic struct three));
    observe_end();
    return 0;
}
