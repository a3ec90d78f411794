// covers: typedefs
#include "observe.h"

typedef unsigned short word;
typedef int vector[3];
typedef int fn_type(int);
typedef fn_type *fn;
static int twice(int x) { return 2 * x; }

int main(void)
{
    word w = 65535;
    vector v = { 1, 2, 3 };
    fn f = twice;
    w++;
    observe(w);
    observe(v[2]);
    observe(f(v[1]));
    {
        typedef int word;
        word x = 70000;
        observe(x);
    }
    observe_end();
    return 0;
}
