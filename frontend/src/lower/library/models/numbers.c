/* <stdlib.h> and <inttypes.h>: numbers in texts. */

enum { EINVAL = 22, ERANGE = 34 };

/* What of a text is a number. */
struct number {
    unsigned long long magnitude;
    int is_negative;
    int is_too_large; /* The magnitude is, which is then as large as possible. */
};

/* The value of a digit, or one that is none at any base. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 36;
}

/* Where the number ends that a text begins with; at its start if it begins with none. */
static const char *scan(const char *text, int base, struct number *number)
{
    const char *start = text;
    number->magnitude = 0;
    number->is_negative = 0;
    number->is_too_large = 0;
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    if (*text == '-' || *text == '+')
        number->is_negative = *text++ == '-';
    if ((base == 0 || base == 16) && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
        && digit(text[2]) < 16) {
        text += 2;
        base = 16;
    } else if (base == 0) {
        base = *text == '0' ? 8 : 10;
    }
    for (; digit(*text) < base; start = ++text) {
        unsigned long long next = digit(*text);
        if (number->magnitude > (-1ULL - next) / base)
            number->is_too_large = 1;
        number->magnitude = number->is_too_large ? -1ULL : number->magnitude * base + next;
    }
    return start;
}

/* As `scan`, for a base that must be one. */
static void scan_at_base(const char *text, char **end, int base, struct number *number)
{
    if (base < 0 || base == 1 || base > 36) {
        number->magnitude = 0;
        number->is_negative = 0;
        number->is_too_large = 0;
        /* C leaves it open; glibc does not store the end. */
        *__errno_location() = EINVAL;
        return;
    }
    const char *stop = scan(text, base, number);
    if (end)
        *end = (char *)stop;
}

/* The signed number of a type whose largest is `most`. */
static long long signed_number(const char *text, char **end, int base, unsigned long long most)
{
    struct number number;
    scan_at_base(text, end, base, &number);
    most += number.is_negative;
    if (number.magnitude > most) {
        number.magnitude = most;
        *__errno_location() = ERANGE;
    }
    return (long long)(number.is_negative ? 0 - number.magnitude : number.magnitude);
}

/* The unsigned number of a type whose largest is `most`. */
static unsigned long long unsigned_number(const char *text, char **end, int base,
                                          unsigned long long most)
{
    struct number number;
    scan_at_base(text, end, base, &number);
    if (number.magnitude > most || number.is_too_large) {
        *__errno_location() = ERANGE;
        return most;
    }
    return number.is_negative ? 0 - number.magnitude : number.magnitude;
}

long strtol(const char *text, char **end, int base)
{
    return (long)signed_number(text, end, base, -1UL / 2);
}

long long strtoll(const char *text, char **end, int base)
{
    return signed_number(text, end, base, -1ULL / 2);
}

long long strtoimax(const char *text, char **end, int base) { return strtoll(text, end, base); }

unsigned long strtoul(const char *text, char **end, int base)
{
    return (unsigned long)unsigned_number(text, end, base, -1UL);
}

unsigned long long strtoull(const char *text, char **end, int base)
{
    return unsigned_number(text, end, base, -1ULL);
}

unsigned long long strtoumax(const char *text, char **end, int base)
{
    return strtoull(text, end, base);
}

/* C leaves open what becomes of a number that does not fit: the run ends there. */
long long atoll(const char *text)
{
    struct number number;
    scan(text, 10, &number);
    __CPROVER_assume(number.magnitude <= -1ULL / 2 + number.is_negative);
    return (long long)(number.is_negative ? 0 - number.magnitude : number.magnitude);
}

long atol(const char *text)
{
    long long number = atoll(text);
    __CPROVER_assume(number == (long)number);
    return (long)number;
}

int atoi(const char *text)
{
    long number = atol(text);
    __CPROVER_assume(number == (int)number);
    return (int)number;
}

/* ---- Floating-point numbers: where they end; their values are not modelled ---- */

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9')
        text++;
    return text;
}

/* Where the decimal number ends that a text begins with; at its start if it begins with none. Of
   infinity, of what is no number and of hexadecimal ones that is not modelled. */
const char *__sapa_end_of_decimal(const char *text)
{
    const char *at = text;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        at++;
    if (*at == '-' || *at == '+')
        at++;
    if (*at == 'i' || *at == 'I' || *at == 'n' || *at == 'N' || (*at == '0' && (at[1] | 32) == 'x')) {
        while (*at && __sapa_unmodelled_bool("strtod"))
            at++;
        return at;
    }
    const char *point = skip_digits(at);
    int digits = point - at;
    at = point;
    if (*point == '.') {
        at = skip_digits(point + 1);
        digits += at - (point + 1);
    }
    if (!digits)
        return text;
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1;
        if (*exponent == '-' || *exponent == '+')
            exponent++;
        if (*exponent >= '0' && *exponent <= '9')
            at = skip_digits(exponent);
    }
    return at;
}

/* Whether a text begins with a number. */
static int has_decimal(const char *text, char **end)
{
    const char *stop = __sapa_end_of_decimal(text);
    if (end)
        *end = (char *)stop;
    if (stop == text)
        return 0;
    if (__sapa_unmodelled_bool("strtod"))
        *__errno_location() = ERANGE;
    return 1;
}

double strtod(const char *text, char **end)
{
    return has_decimal(text, end) ? __sapa_unmodelled_double("strtod") : 0;
}

float strtof(const char *text, char **end)
{
    return has_decimal(text, end) ? __sapa_unmodelled_float("strtof") : 0;
}

double atof(const char *text) { return strtod(text, 0); }
