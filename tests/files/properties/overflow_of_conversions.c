// precise: SUCCESSFUL --property overflow
// precise: FAILED --property overflow -DTYPE=int -DVALUE=1e10
// precise: FAILED --property overflow -DTYPE=int -DVALUE=2147483648.0
// precise: FAILED --property overflow -DTYPE=int -DVALUE=-2147483649.0
// precise: FAILED --property overflow -DTYPE=unsigned -DVALUE=-1.5
// precise: FAILED --property overflow -DTYPE=long -DVALUE=9223372036854775808.0
// precise: FAILED --property overflow -DTYPE=byte -DVALUE=128.0f
// precise: FAILED --property overflow -DTYPE=int -DVALUE=(zero/zero)
// precise: FAILED --property overflow -DTYPE=int -DVALUE=-__builtin_inf()
// precise: FAILED --property overflow -DUNGUARDED
// What is converted to an integer type has to fit into it, without its fraction (C11 6.3.1.4).
double __VERIFIER_nondet_double(void);
typedef signed char byte;
static double zero;
#ifndef TYPE
#define TYPE int
#define VALUE 2147483647.5
#endif

static long through(double d) {
    TYPE constant = (TYPE)VALUE;
    double value = VALUE;
    TYPE converted = value;
    return (long)constant + converted + (long)d;
}

int main(void) {
    long sum = through(1.5) + (int)-2147483648.9 + (unsigned)4294967295.9 + (unsigned)-0.9;
    sum += (signed char)-128.9f + (unsigned char)255.5f + (int)2147483520.0f;
    sum += (long)-9223372036854775808.0 + (unsigned long)18446744073709549568.0 != 0;
    double d = __VERIFIER_nondet_double();
#ifdef UNGUARDED
    if (d >= 0 && d <= 2147483648.0)
#else
    if (d >= 0 && d < 100)
#endif
        return (int)d == -1;
    return sum == 7;
}
