// Where a loop lets any number of stores wait, some are forgotten, and what is proved holds for buffers of any size.
// RUN: for mm in tso pso; do sapa check --mm $mm %s; done
// RUN: sapa-cc %s | sapa-opt -p 'default,tso{overflow=summary}' - | sapa check -q -
// An older value that others may see is not left out; that it is a failure, the program itself has to show.
// RUN: sapa-cc -DOLDER %s | sapa-opt -p 'default,tso{overflow=summary}' - | sapa check -q - 2>&1 || echo "exit $?"
// RUN: sapa check --mm tso -q -DOLDER %s | tail -1
// What waits with an address is not forgotten, nor what waits in variables.
// RUN: sapa-cc -DADDRESS %s | sapa-opt -p 'default,tso{overflow=summary}' - | sapa check -q - 2>&1 | tail -4
// RUN: sapa-cc %s | sapa-opt -p 'default,tso{layout=variables,k=1,overflow=summary}' - 2>&1 || echo "exit $?"
#include <assert.h>
#include <pthread.h>

int x, y, z, *where = &z;

void *writer(void *arg)
{
    for (;;) {
#if defined ADDRESS
        *where = 1;
        where = y ? &x : &z;
#else
        x = 1;
#endif
        x = 2;
        assert(x == 2);
        if (y)
            z = 1;
    }
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    y = 1;
#if defined OLDER
    assert(x != 1);
#else
    assert(x <= 2);
#endif
    return 0;
}
