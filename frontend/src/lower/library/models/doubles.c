/* <math.h>: the parts of floating-point numbers, exactly (C11 7.12.6.4, 7.12.6.12). */

union parts {
    double number;
    unsigned long long bits;
};

enum { BIAS = 1023, FRACTION = 52, MOST = 2047 };

static const unsigned long long sign = 1ULL << 63;

static int exponent_of(union parts x) { return (int)(x.bits >> FRACTION & MOST); }

double modf(double number, double *whole)
{
    union parts x = {number}, rest = {number};
    int exponent = exponent_of(x) - BIAS;
    if (exponent >= FRACTION) {
        *whole = number;
        if (exponent != MOST - BIAS || !(x.bits << 12))
            rest.bits = x.bits & sign;
        return rest.number;
    }
    x.bits &= exponent < 0 ? sign : ~(~0ULL >> 12 >> exponent);
    *whole = x.number;
    rest.number = number - x.number;
    /* What is left of a negative number has its sign, also a zero. */
    rest.bits |= x.bits & sign;
    return rest.number;
}

double frexp(double number, int *power)
{
    union parts x = {number};
    int exponent = exponent_of(x);
    *power = 0;
    if (exponent == MOST || !(x.bits << 1))
        return number;
    if (!exponent) {
        /* Without a leading one. */
        x.number = number * 18014398509481984.0;
        exponent = exponent_of(x) - 54;
    }
    *power = exponent - (BIAS - 1);
    x.bits = (x.bits & ~((unsigned long long)MOST << FRACTION)) | (unsigned long long)(BIAS - 1) << FRACTION;
    return x.number;
}

float modff(float number, float *whole)
{
    double of_double;
    double rest = modf(number, &of_double);
    *whole = (float)of_double;
    return (float)rest;
}

float frexpf(float number, int *power) { return (float)frexp(number, power); }
