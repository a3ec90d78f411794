/* What `../stubs.c` calls and does not define, and a function that it does define. */
int __VERIFIER_nondet_int(void);

static int clamped(int value)
{
    return value < 0 ? 0 : value > 9 ? 9 : value;
}

int sensor(int channel)
{
    return clamped(__VERIFIER_nondet_int());
}

void device_write(int *to)
{
    *to = 5;
}

int helper(int x)
{
    return 77;
}

int unused(void)
{
    return sensor(0);
}
