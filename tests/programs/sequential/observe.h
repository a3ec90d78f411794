/* What a program computes. Compiled, it prints the values; for sapa, EXPECTED
   lists the values that the compiled program printed, and others are failures. */
#ifdef EXPECTED
static const long expected[] = { EXPECTED };
static unsigned observed;

static void observe(long value)
{
    __CPROVER_assert(observed < sizeof expected / sizeof *expected, "as many values as compiled");
    __CPROVER_assert(expected[observed] == value, "the value that the compiled program has");
    observed++;
}

static void observe_end(void)
{
    __CPROVER_assert(observed == sizeof expected / sizeof *expected, "all values");
#ifdef REACHED
    __CPROVER_assert(0, "the end is not reached");
#endif
}
#else
int printf(const char *, ...);

static void observe(long value)
{
    printf("%ld\n", value);
}

static void observe_end(void)
{
}
#endif
