/* IEEE 754 binary32 and binary64 on their bits, rounding to nearest, ties to
   even. Numbers are unpacked to sign, exponent and a significand with three
   further bits (guard, round, sticky). NaN results are the quiet NaN that
   x86-64 makes. */

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned __int128 u128;

/* A format: bits of the fraction and of the exponent. */
enum { F32 = 23, F64 = 52 };

static int exponent_bits(int fraction)
{
    return fraction == F32 ? 8 : 11;
}

static u64 sign_bit(int fraction)
{
    return 1ULL << (fraction + exponent_bits(fraction));
}

static u64 infinity(int fraction)
{
    return ((1ULL << exponent_bits(fraction)) - 1) << fraction;
}

static u64 default_nan(int fraction)
{
    return sign_bit(fraction) | infinity(fraction) | 1ULL << (fraction - 1);
}

static int is_nan(u64 x, int fraction)
{
    return (x & (sign_bit(fraction) - 1)) > infinity(fraction);
}

/* The NaN that an operation gives for an operand that is one: itself, made quiet. */
static u64 quiet(u64 x, int fraction)
{
    return x | 1ULL << (fraction - 1);
}

static u64 nan_of(u64 a, u64 b, int fraction)
{
    return is_nan(a, fraction) ? quiet(a, fraction) : quiet(b, fraction);
}

/* Shifts right; what is lost leaves a trace in the lowest bit. */
static u128 shift_sticky(u128 x, int by)
{
    if (by <= 0)
        return x;
    if (by > 127)
        return x != 0;
    return x >> by | ((x & (((u128)1 << by) - 1)) != 0);
}

/* How many bits a number has. There is neither loop nor branch, so that what is not known makes no more paths. */
static int length_of(u128 x)
{
    int length = (x >> 64 != 0) << 6;
    x >>= length;
    int by = (x >> 32 != 0) << 5;
    x >>= by;
    length += by;
    by = (x >> 16 != 0) << 4;
    x >>= by;
    length += by;
    by = (x >> 8 != 0) << 3;
    x >>= by;
    length += by;
    by = (x >> 4 != 0) << 2;
    x >>= by;
    length += by;
    by = (x >> 2 != 0) << 1;
    x >>= by;
    length += by;
    by = x >> 1 != 0;
    x >>= by;
    return length + by + (x != 0);
}

/* The number significand * 2^(exponent - bias - fraction - 3), rounded. */
static u64 round_pack(u64 sign, int exponent, u128 significand, int fraction)
{
    int top = (1 << exponent_bits(fraction)) - 1;
    u64 rest, result;
    if (significand == 0)
        return sign;
    int by = fraction + 4 - length_of(significand);
    if (by < 0) {
        significand = shift_sticky(significand, -by);
        exponent -= by;
    } else if (exponent > 1) {
        by = by < exponent - 1 ? by : exponent - 1;
        significand <<= by;
        exponent -= by;
    }
    if (exponent < 1) {
        significand = shift_sticky(significand, 1 - exponent);
        exponent = 1;
    }
    rest = (u64)significand & 7;
    result = (u64)(significand >> 3);
    if (rest > 4 || (rest == 4 && (result & 1)))
        result++;
    if (result >> (fraction + 1)) {
        result >>= 1;
        exponent++;
    }
    if (!(result >> fraction))
        return sign | result; /* Subnormal. */
    if (exponent >= top)
        return sign | infinity(fraction);
    return sign | (u64)exponent << fraction | (result & ((1ULL << fraction) - 1));
}

static int exponent_of(u64 x, int fraction)
{
    int exponent = (int)(x >> fraction & ((1ULL << exponent_bits(fraction)) - 1));
    return exponent ? exponent : 1;
}

static u64 significand_of(u64 x, int fraction)
{
    u64 bits = x & ((1ULL << fraction) - 1);
    return x & infinity(fraction) ? bits | 1ULL << fraction : bits;
}

static u64 add(u64 a, u64 b, int fraction)
{
    u64 sign_a = a & sign_bit(fraction), sign_b = b & sign_bit(fraction);
    u64 inf = infinity(fraction), magnitude_a = a ^ sign_a, magnitude_b = b ^ sign_b;
    if (is_nan(a, fraction) || is_nan(b, fraction))
        return nan_of(a, b, fraction);
    if (magnitude_a == inf)
        return magnitude_b == inf && sign_a != sign_b ? default_nan(fraction) : a;
    if (magnitude_b == inf)
        return b;
    if (magnitude_a < magnitude_b) {
        u64 swap = a;
        a = b;
        b = swap;
        swap = sign_a;
        sign_a = sign_b;
        sign_b = swap;
    }
    int exponent = exponent_of(a, fraction);
    u128 x = (u128)significand_of(a, fraction) << 3;
    u128 y = shift_sticky((u128)significand_of(b, fraction) << 3,
                          exponent - exponent_of(b, fraction));
    if (sign_a == sign_b)
        return round_pack(sign_a, exponent, x + y, fraction);
    if (x == y)
        return 0; /* To nearest, x - x is +0. */
    return round_pack(sign_a, exponent, x - y, fraction);
}

static u64 multiply(u64 a, u64 b, int fraction)
{
    u64 sign = (a ^ b) & sign_bit(fraction), inf = infinity(fraction);
    u64 magnitude_a = a & (sign_bit(fraction) - 1), magnitude_b = b & (sign_bit(fraction) - 1);
    if (is_nan(a, fraction) || is_nan(b, fraction))
        return nan_of(a, b, fraction);
    if (magnitude_a == inf || magnitude_b == inf)
        return magnitude_a == 0 || magnitude_b == 0 ? default_nan(fraction) : sign | inf;
    int bias = (1 << (exponent_bits(fraction) - 1)) - 1;
    int exponent = exponent_of(a, fraction) + exponent_of(b, fraction) - bias;
    u128 product = (u128)significand_of(a, fraction) * significand_of(b, fraction);
    /* The product has twice the fraction's bits; three more are kept. */
    return round_pack(sign, exponent - fraction + 3, product, fraction);
}

static u64 divide(u64 a, u64 b, int fraction)
{
    u64 sign = (a ^ b) & sign_bit(fraction), inf = infinity(fraction);
    u64 magnitude_a = a & (sign_bit(fraction) - 1), magnitude_b = b & (sign_bit(fraction) - 1);
    if (is_nan(a, fraction) || is_nan(b, fraction))
        return nan_of(a, b, fraction);
    if (magnitude_a == inf)
        return magnitude_b == inf ? default_nan(fraction) : sign | inf;
    if (magnitude_b == inf)
        return sign;
    if (magnitude_b == 0)
        return magnitude_a == 0 ? default_nan(fraction) : sign | inf;
    if (magnitude_a == 0)
        return sign;
    int bias = (1 << (exponent_bits(fraction) - 1)) - 1;
    int exponent = exponent_of(a, fraction) - exponent_of(b, fraction) + bias;
    u64 x = significand_of(a, fraction), y = significand_of(b, fraction);
    int by = fraction + 1 - length_of(y);
    y <<= by;
    exponent += by;
    by = fraction + 1 - length_of(x);
    x <<= by;
    exponent -= by;
    u128 dividend = (u128)x << (fraction + 5);
    u128 quotient = dividend / y;
    if (dividend % y)
        quotient |= 1;
    return round_pack(sign, exponent - 2, quotient, fraction);
}

static int equal(u64 a, u64 b, int fraction)
{
    if (is_nan(a, fraction) || is_nan(b, fraction))
        return 0;
    return a == b || ((a | b) & (sign_bit(fraction) - 1)) == 0;
}

static int less(u64 a, u64 b, int fraction)
{
    u64 sign = sign_bit(fraction);
    if (is_nan(a, fraction) || is_nan(b, fraction) || ((a | b) & (sign - 1)) == 0)
        return 0;
    if ((a & sign) != (b & sign))
        return (a & sign) != 0;
    return a & sign ? b < a : a < b;
}

/* The integer below 2^63 in magnitude that truncation gives; the most negative
   one for what has none, as on x86-64. */
static i64 truncate(u64 x, int fraction)
{
    int bias = (1 << (exponent_bits(fraction) - 1)) - 1;
    int exponent = exponent_of(x, fraction) - bias - fraction;
    u64 significand = significand_of(x, fraction);
    if (is_nan(x, fraction) || exponent + fraction >= 63)
        return (i64)(1ULL << 63);
    if (exponent >= 0)
        significand <<= exponent;
    else if (exponent < -63)
        significand = 0;
    else
        significand >>= -exponent;
    return x & sign_bit(fraction) ? (i64)(0 - significand) : (i64)significand;
}

static u64 from_integer(u64 sign, u64 magnitude, int fraction)
{
    int bias = (1 << (exponent_bits(fraction) - 1)) - 1;
    return magnitude ? round_pack(sign, bias + fraction, (u128)magnitude << 3, fraction) : 0;
}

u32 __sapa_float32_add(u32 a, u32 b) { return (u32)add(a, b, F32); }
u32 __sapa_float32_sub(u32 a, u32 b) { return (u32)add(a, is_nan(b, F32) ? b : b ^ 1U << 31, F32); }
u32 __sapa_float32_mul(u32 a, u32 b) { return (u32)multiply(a, b, F32); }
u32 __sapa_float32_div(u32 a, u32 b) { return (u32)divide(a, b, F32); }
int __sapa_float32_eq(u32 a, u32 b) { return equal(a, b, F32); }
int __sapa_float32_lt(u32 a, u32 b) { return less(a, b, F32); }
int __sapa_float32_le(u32 a, u32 b) { return less(a, b, F32) || equal(a, b, F32); }

u64 __sapa_float64_add(u64 a, u64 b) { return add(a, b, F64); }
u64 __sapa_float64_sub(u64 a, u64 b) { return add(a, is_nan(b, F64) ? b : b ^ 1ULL << 63, F64); }
u64 __sapa_float64_mul(u64 a, u64 b) { return multiply(a, b, F64); }
u64 __sapa_float64_div(u64 a, u64 b) { return divide(a, b, F64); }
int __sapa_float64_eq(u64 a, u64 b) { return equal(a, b, F64); }
int __sapa_float64_lt(u64 a, u64 b) { return less(a, b, F64); }
int __sapa_float64_le(u64 a, u64 b) { return less(a, b, F64) || equal(a, b, F64); }

u64 __sapa_float32_to_float64(u32 x)
{
    u64 sign = (u64)(x >> 31) << 63;
    if (is_nan(x, F32))
        return sign | infinity(F64) | 1ULL << 51 | (u64)(x & 0x7fffff) << 29;
    if ((x & 0x7fffffff) == infinity(F32))
        return sign | infinity(F64);
    return round_pack(sign, exponent_of(x, F32) + 896, (u128)significand_of(x, F32) << 32, F64);
}

u32 __sapa_float64_to_float32(u64 x)
{
    u64 sign = x >> 63 << 31;
    if (is_nan(x, F64))
        return (u32)(sign | infinity(F32) | 1ULL << 22 | (x >> 29 & 0x7fffff));
    if ((x & ~(1ULL << 63)) == infinity(F64))
        return (u32)(sign | infinity(F32));
    return (u32)round_pack(sign, exponent_of(x, F64) - 896,
                           shift_sticky((u128)significand_of(x, F64) << 3, 29), F32);
}

/* Nothing: where these are called, `check-overflow` asks that the magnitude of x is less than what is given, of numbers that
   are not negative and of those that are. */
int __sapa_float32_fits(u32 x, u32 above, u32 below) { return 0; }
int __sapa_float64_fits(u64 x, u64 above, u64 below) { return 0; }

i64 __sapa_float32_to_int64(u32 x) { return truncate(x, F32); }
i64 __sapa_float64_to_int64(u64 x) { return truncate(x, F64); }

static int to_int32(i64 x)
{
    return x < -2147483647LL - 1 || x > 2147483647LL ? -2147483647 - 1 : (int)x;
}

int __sapa_float32_to_int32(u32 x) { return to_int32(truncate(x, F32)); }
int __sapa_float64_to_int32(u64 x) { return to_int32(truncate(x, F64)); }

/* From 2^63 on, as compilers do it: less 2^63, converted, and the top bit flipped. */
u64 __sapa_float64_to_uint64(u64 x)
{
    u64 limit = 0x43e0000000000000ULL;
    if (!less(limit, x, F64) && !equal(limit, x, F64))
        return (u64)truncate(x, F64);
    return (u64)truncate(add(x, limit | 1ULL << 63, F64), F64) ^ 1ULL << 63;
}

u64 __sapa_float32_to_uint64(u32 x)
{
    return __sapa_float64_to_uint64(__sapa_float32_to_float64(x));
}

u32 __sapa_int64_to_float32(i64 x)
{
    return (u32)from_integer(x < 0 ? 1ULL << 31 : 0, x < 0 ? 0 - (u64)x : (u64)x, F32);
}

u32 __sapa_uint64_to_float32(u64 x) { return (u32)from_integer(0, x, F32); }

u64 __sapa_int64_to_float64(i64 x)
{
    return from_integer(x < 0 ? 1ULL << 63 : 0, x < 0 ? 0 - (u64)x : (u64)x, F64);
}

u64 __sapa_uint64_to_float64(u64 x) { return from_integer(0, x, F64); }
