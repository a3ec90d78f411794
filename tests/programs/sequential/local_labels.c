// covers: goto
// Labels of blocks, and before the value of a statement expression.
#include "observe.h"

int main(void)
{
    int r = 0;
    {
        __label__ done;
        goto done;
        r = 5;
    done:
        r++;
    }
    {
        __label__ done;
    done:
        r++;
        if (r < 5)
            goto done;
    }
    observe(r);
    int x = ({
        int k = 0;
        goto last;
        k = 9;
    last:
        k + 1;
    });
    observe(x);
    for (int i = 0; i < 2; i++)
        r += ({
            __label__ out;
            if (i)
                goto out;
            r++;
        out:
            r;
        });
    observe(r);
    observe_end();
    return 0;
}
