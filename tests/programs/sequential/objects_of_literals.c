// covers: compound-literals
// One object for a literal that a range repeats, and for the name of a function.
#include "observe.h"

int *shared[2] = { [0 ... 1] = &(int){ 1 } };
char *texts[2] = { [0 ... 1] = "text" };

static int name_is_one(void)
{
    const char *a = __func__, *b = __func__;
    return a == b && a[0] == 'n' && sizeof __func__ == 12;
}

int main(void)
{
    char *own[3] = { [0 ... 2] = "own" };
    observe(shared[0] == shared[1]);
    *shared[0] = 5;
    observe(*shared[1]);
    observe(texts[0] == texts[1]);
    observe(own[0] == own[2]);
    observe(name_is_one());
    observe(__func__ == __func__);
    observe_end();
    return 0;
}
