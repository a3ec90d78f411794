// covers: switch, loops, goto
#include "observe.h"

static int classify(long x)
{
    switch (x) {
    case -1:
        return 1;
    case 1L << 40:
        return 2;
    case 'a':
        return 3;
    case 0x100:
    default:
        return 4;
    }
}

static int unsigned_switch(unsigned char c)
{
    switch (c) {
    case 200 ... 255:
        return 1;
    case 0:
        return 2;
    }
    return 3;
}

static int nested(int a, int b)
{
    switch (a) {
    case 1:
        switch (b) {
        case 1:
            break;
        default:
            return 12;
        }
        return 11;
    case 2:
        for (;;) {
            if (b-- > 3)
                continue;
            break;
        }
        return b;
    }
    return 0;
}

int main(void)
{
    int n = 5, k = 0;
    observe(classify(-1));
    observe(classify(1L << 40));
    observe(classify(97));
    observe(classify(256));
    observe(unsigned_switch(250));
    observe(unsigned_switch(0));
    observe(unsigned_switch(100));
    observe(nested(1, 1));
    observe(nested(1, 2));
    observe(nested(2, 8));
    do
        k += n;
    while (n--, n > 0);
    observe(k);
    for (int i = 0, j = 10; i < j; i += 3, j--)
        k += i * j;
    observe(k);
    while (k > 100 && (k -= 50, 1))
        if (k % 2)
            goto odd;
    observe(k);
odd:
    observe(k % 2);
    for (n = 0;; n++) {
        if (n == 2)
            continue;
        if (n > 4)
            break;
        switch (n) {
        case 3:
            continue;
        }
        k += 1000;
    }
    observe(k);
    observe(({ int r = 0; for (int i = 0; i < 3; i++) { if (i == 1) continue; r += i; } r; }));
    observe_end();
    return 0;
}
