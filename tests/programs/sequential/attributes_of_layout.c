// covers: attributes
#include <stddef.h>
#include "observe.h"

enum __attribute__((packed)) small { A, B = 255 };
enum { C = -1, D = 128 } __attribute__((__packed__)) middle;
struct holds { enum small e; char c; };
struct pair { char c; int i; };
struct member { char c; int i __attribute__((packed)); short s; };
struct before { char c; __attribute__((packed)) int i, j; };
struct both { char c; int i __attribute__((packed, aligned(2))); };
struct inner { char c; struct pair p __attribute__((packed)); };
struct bits { char c; int f : 3 __attribute__((packed)); int g : 5 __attribute__((packed)); };
struct __attribute__((packed)) whole { char c; int i; };
struct pointer { char c; int *__attribute__((aligned(16))) p; };

typedef int wide __attribute__((mode(DI)));
typedef unsigned narrow __attribute__((__mode__(__QI__)));
typedef int eight __attribute__((aligned(8)));
typedef int two __attribute__((aligned(2)));
struct uses { char c; eight e; };
struct less { char c; two t; };

__attribute__((aligned(64))) char global;

int main(void)
{
    struct holds h = { B, 0 };
    struct whole w;
    struct both b;
    narrow n = 255;
    int x __attribute__((aligned(32))), y;
    _Alignas(16) char z[3];
    struct __attribute__((aligned)) most { char c; };
    h.e++;
    observe(h.e);
    observe(sizeof h);
    observe(sizeof middle);
    observe(sizeof(struct member));
    observe(offsetof(struct member, i));
    observe(sizeof(struct before));
    observe(sizeof(struct both));
    observe(sizeof(struct inner));
    observe(sizeof(struct bits));
    observe(sizeof(struct pointer));
    n++;
    observe(n);
    observe(sizeof(wide));
    observe(offsetof(struct uses, e));
    observe(sizeof(struct less));
    observe(_Alignof(eight));
    observe(_Alignof(two));
    observe(__alignof__(global));
    observe(__alignof__(x));
    observe(__alignof__(x + 0));
    observe(__alignof__(y));
    observe(__alignof__(z));
    observe(__alignof__(w.i));
    observe(__alignof__(b.i));
    observe(sizeof(struct most));
    observe_end();
    return 0;
}
