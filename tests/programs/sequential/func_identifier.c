// covers: func
#include "observe.h"

static const char *name(void) { return __func__; }

int main(void)
{
    observe(name()[0]);
    observe(sizeof __func__);
    observe(_Generic(__func__, char *: 2, const char *: 1));
    observe(__FUNCTION__[3]);
    observe_end();
    return 0;
}
