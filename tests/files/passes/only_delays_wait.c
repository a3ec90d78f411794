// With 'delays' only those stores of a thread that others may see to wait are the first to wait, and others behind them:
// here `x = 1` and `y = 1`, which are followed by loads. Nobody can tell whether `before = 1` waits.
// RUN: sapa-cc %s | sapa-opt -p 'default,tso{delays}' | grep -o '[a-z_]*@[0-9]' | sort -u
// RUN: sapa-cc %s | sapa-opt -p 'default,tso' | grep -o '[a-z_]*@[0-9]' | sort -u
// RUN: sapa-cc %s | sapa-opt -p 'default,tso{delays},print-runs' --no-output 2>&1 | grep run
// RUN: sapa-cc %s | sapa-opt -p 'default,tso,print-runs' --no-output 2>&1 | grep run
#include <assert.h>
#include <pthread.h>

int x, y, seen_x, seen_y, before, behind;

void *first(void *arg)
{
    before = 1;
    x = 1;
    behind = 1;
    seen_y = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    seen_x = x;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(before == 1 && behind == 1 && seen_x + seen_y <= 2);
}
