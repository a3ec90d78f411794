// Stubs are taken for what a program does not define, as the verdict says, and never for what it defines.
// RUN: cd %d && sapa check -q stubs.c 2>&1
// RUN: cd %d && sapa check -q stubs.c --stubs stubbed/device.c --stubs stubbed/other.c
// RUN: cd %d && sapa check -q stubs.c --stubs stubbed/device.c -DLARGE | tail -1
// RUN: cd %d && sapa check -q --stubs stubbed/none.c stubs.c 2>&1
// RUN: printf 'files = "stubs.c"\nstubs = ["posix", "stubbed/device.c"]\nquiet = true\n' >%t; cd "$(dirname %t)" && cp -r %s %d/stubbed . && sapa check --config t
// RUN: cd %d && sapa-cc stubs.c --stubs stubbed/device.c 2>/dev/null | sapa check --stubs posix - 2>&1
// EXIT: 1
#include <assert.h>

int sensor(int channel);
void device_write(int *to);

int helper(int x)
{
    return x + 1;
}

int main(void)
{
    int value = 0;
    device_write(&value);
    int seen = sensor(3);
    assert(value == 5 && helper(1) == 2);
#ifdef LARGE
    assert(seen < 9);
#else
    assert(seen >= 0 && seen < 10);
#endif
    return 0;
}
