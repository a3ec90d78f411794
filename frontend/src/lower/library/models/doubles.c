/* <math.h>: the parts of floating-point numbers (C11 7.12.6.4, 7.12.6.12), and those functions whose results
   IEEE 754 defines: rounding, the square root, remainders, minimum and maximum. All are exact, and set `errno` as
   glibc does. Those called `__sapa_…` are taken where the program declares the function as C does. */

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

/* ---- Rounding to whole numbers (7.12.9), to nearest unless the name says another direction ---- */

enum { EDOM = 33, ERANGE = 34 };
enum direction { TO_ZERO, DOWN, UP, TIES_AWAY, TIES_TO_EVEN };

static double whole(double number, enum direction direction)
{
    union parts x = {number};
    unsigned long long negative = x.bits & sign, one = 1ULL << FRACTION, rest, half;
    int exponent = exponent_of(x) - BIAS, is_odd, is_further;
    if (exponent >= FRACTION)
        return exponent == MOST - BIAS ? number + number : number;
    if (exponent < 0) {
        /* Less than one: what counts is whether it is less than a half, and whether it is zero. */
        half = exponent == -1 ? one : -1ULL;
        rest = exponent == -1 ? one | (x.bits & (one - 1)) : x.bits << 1 != 0;
        is_odd = 0;
    } else {
        half = one >> 1 >> exponent;
        rest = x.bits & (~0ULL >> 12 >> exponent);
        /* The bit that counts ones; of numbers below two it is the lowest of the exponent, which is set. */
        is_odd = (x.bits >> (FRACTION - exponent) & 1) != 0;
    }
    switch (direction) {
    case TO_ZERO: is_further = 0; break;
    case DOWN: is_further = rest && negative; break;
    case UP: is_further = rest && !negative; break;
    case TIES_AWAY: is_further = rest >= half; break;
    default: is_further = rest > half || (rest == half && is_odd);
    }
    if (exponent < 0)
        x.bits = negative | (is_further ? (unsigned long long)BIAS << FRACTION : 0);
    else
        /* A carry goes to the exponent, as it should. */
        x.bits = (x.bits & ~(~0ULL >> 12 >> exponent)) + (is_further ? one >> exponent : 0);
    return x.number;
}

double __sapa_trunc(double number) { return whole(number, TO_ZERO); }
double __sapa_floor(double number) { return whole(number, DOWN); }
double __sapa_ceil(double number) { return whole(number, UP); }
double __sapa_round(double number) { return whole(number, TIES_AWAY); }
double __sapa_rint(double number) { return whole(number, TIES_TO_EVEN); }
double __sapa_nearbyint(double number) { return whole(number, TIES_TO_EVEN); }

float __sapa_truncf(float number) { return (float)whole(number, TO_ZERO); }
float __sapa_floorf(float number) { return (float)whole(number, DOWN); }
float __sapa_ceilf(float number) { return (float)whole(number, UP); }
float __sapa_roundf(float number) { return (float)whole(number, TIES_AWAY); }
float __sapa_rintf(float number) { return (float)whole(number, TIES_TO_EVEN); }
float __sapa_nearbyintf(float number) { return (float)whole(number, TIES_TO_EVEN); }

/* Of a number that fits no `long` C leaves the result open. */
static long as_long(double number)
{
    double beyond = sizeof(long) == 8 ? 9223372036854775808.0 : 2147483648.0;
    if (number >= -beyond && number < beyond)
        return (long)number;
    return __sapa_unmodelled_long("lround");
}

static long long as_long_long(double number)
{
    double beyond = 9223372036854775808.0;
    if (number >= -beyond && number < beyond)
        return (long long)number;
    return __sapa_unmodelled_longlong("llround");
}

long __sapa_lround(double number) { return as_long(whole(number, TIES_AWAY)); }
long __sapa_lrint(double number) { return as_long(whole(number, TIES_TO_EVEN)); }
long __sapa_lroundf(float number) { return as_long(whole(number, TIES_AWAY)); }
long __sapa_lrintf(float number) { return as_long(whole(number, TIES_TO_EVEN)); }
long long __sapa_llround(double number) { return as_long_long(whole(number, TIES_AWAY)); }
long long __sapa_llrint(double number) { return as_long_long(whole(number, TIES_TO_EVEN)); }
long long __sapa_llroundf(float number) { return as_long_long(whole(number, TIES_AWAY)); }
long long __sapa_llrintf(float number) { return as_long_long(whole(number, TIES_TO_EVEN)); }

/* ---- Minimum, maximum, difference (7.12.12). Of two zeros either may come. ---- */

static int is_no_number(union parts x) { return (x.bits & ~sign) > (unsigned long long)MOST << FRACTION; }

/* A NaN is as if it were not there, unless it signals. */
static double chosen(double a, double b, int is_least)
{
    union parts x = {a}, y = {b};
    unsigned long long is_quiet = 1ULL << (FRACTION - 1);
    int no_x = is_no_number(x), no_y = is_no_number(y);
    if ((no_x && !(x.bits & is_quiet)) || (no_y && !(y.bits & is_quiet)) || (no_x && no_y))
        return a + b;
    if (no_x || no_y)
        return no_x ? b : a;
    if (a == b)
        return x.bits != y.bits && __VERIFIER_nondet_bool() ? a : b;
    return (a < b) == is_least ? a : b;
}

double __sapa_fmin(double a, double b) { return chosen(a, b, 1); }
double __sapa_fmax(double a, double b) { return chosen(a, b, 0); }

double __sapa_fdim(double a, double b)
{
    if (a <= b)
        return 0;
    double difference = a - b;
    union parts x = {a}, y = {b}, result = {difference};
    if (exponent_of(result) == MOST && exponent_of(x) != MOST && exponent_of(y) != MOST)
        *__errno_location() = ERANGE;
    return difference;
}

/* ---- The square root (7.12.7.5), digit by digit ---- */

double __sapa_sqrt(double number)
{
    union parts x = {number};
    unsigned long long one = 1ULL << FRACTION, root = 0, rest = 0;
    int exponent = exponent_of(x), moved = 0;
    if (!(x.bits << 1) || is_no_number(x))
        return number + number;
    if (x.bits & sign) {
        *__errno_location() = EDOM;
        return (number - number) / 0.0;
    }
    if (exponent == MOST)
        return number;
    if (!exponent) {
        /* Without a leading one. */
        x.number = number * 18014398509481984.0;
        exponent = exponent_of(x);
        moved = 54;
    }
    exponent -= BIAS + moved;
    unsigned long long significand = (x.bits & (one - 1)) | one;
    if (exponent & 1) {
        significand <<= 1;
        exponent--;
    }
    /* 53 bits, and one that says where to round; what is left is never just a half. */
    for (int bit = 0; bit < 54; bit++) {
        rest = rest << 2 | (bit < 27 ? significand >> (52 - 2 * bit) & 3 : 0);
        unsigned long long next = root << 2 | 1;
        root <<= 1;
        if (next <= rest) {
            rest -= next;
            root |= 1;
        }
    }
    root = (root + 1) >> 1;
    x.bits = (unsigned long long)(exponent / 2 + BIAS) << FRACTION | (root & (one - 1));
    return x.number;
}

/* A root of 53 bits that is rounded once more to 24 is as if it had been rounded once. */
float __sapa_sqrtf(float number) { return (float)__sapa_sqrt(number); }

/* ---- The remainder of a quotient that is truncated (7.12.10.1) ---- */

double __sapa_fmod(double dividend, double divisor)
{
    enum { MOST_SHIFTED = 64 };
    union parts x = {dividend}, y = {divisor}, result;
    unsigned long long one = 1ULL << FRACTION, negative = x.bits & sign;
    if (is_no_number(x) || is_no_number(y))
        return dividend + divisor;
    if (exponent_of(x) == MOST || !(y.bits << 1)) {
        *__errno_location() = EDOM;
        return (dividend * divisor) / (dividend * divisor);
    }
    x.bits &= ~sign;
    y.bits &= ~sign;
    if (x.bits < y.bits)
        return dividend;
    int exponent = exponent_of(y) ? exponent_of(y) : 1;
    int shifted = (exponent_of(x) ? exponent_of(x) : 1) - exponent;
    /* Numbers so far apart would take long division. */
    if (shifted > MOST_SHIFTED)
        return __sapa_unmodelled_double("fmod");
    unsigned long long a = (x.bits & (one - 1)) | (exponent_of(x) ? one : 0);
    unsigned long long b = (y.bits & (one - 1)) | (exponent_of(y) ? one : 0);
    unsigned long long rest = (unsigned long long)(((unsigned __int128)a << shifted) % b);
    if (!rest) {
        result.bits = negative;
        return result.number;
    }
    while (!(rest & one) && exponent > 1) {
        rest <<= 1;
        exponent--;
    }
    result.bits = negative | (rest & one ? (unsigned long long)exponent << FRACTION : 0) | (rest & (one - 1));
    return result.number;
}

float __sapa_fmodf(float dividend, float divisor) { return (float)__sapa_fmod(dividend, divisor); }

/* ---- Multiplying by a power of two (7.12.6.6): each factor is one that a number can be ---- */

double __sapa_ldexp(double number, int power)
{
    union parts x = {number}, factor;
    if (exponent_of(x) == MOST || !(x.bits << 1))
        return number + number;
    double result = number;
    /* More changes nothing. To smaller ones, a number of few bits is rounded but once, with the last factor. */
    int left = power > 3000 ? 3000 : power < -3000 ? -3000 : power;
    int lead = exponent_of(x);
    if (!lead) {
        result = number * 18014398509481984.0;
        left -= 54;
        x.number = result;
        lead = exponent_of(x);
    }
    lead += left;
    x.bits &= ~((unsigned long long)MOST << FRACTION);
    if (lead >= MOST) {
        x.bits = (x.bits & sign) | (unsigned long long)MOST << FRACTION;
        result = x.number;
    } else if (lead > 0) {
        x.bits |= (unsigned long long)lead << FRACTION;
        result = x.number;
    } else {
        /* To what has no leading one, or to zero. */
        if (lead < -60)
            lead = -60;
        x.bits |= (unsigned long long)(lead + 64) << FRACTION;
        factor.bits = (unsigned long long)(BIAS - 64) << FRACTION;
        result = x.number * factor.number;
    }
    x.number = result;
    if (exponent_of(x) == MOST || !(x.bits << 1))
        *__errno_location() = ERANGE;
    return result;
}

double __sapa_scalbn(double number, int power) { return __sapa_ldexp(number, power); }
