/* <stdio.h>: texts that are printed into arrays. Each function here prints a part behind the `at`
   characters that are there, as far as an array of a size has room for them and a final zero, and
   returns how many there would be then. */

typedef unsigned long size_t;

enum { LEFT = 1, ZEROS = 2, UPPER = 4, ALTERNATE = 8 };

size_t __sapa_put(char *to, size_t size, size_t at, char c)
{
    if (at + 1 < size)
        to[at] = c;
    return at + 1;
}

static size_t repeat(char *to, size_t size, size_t at, char c, int count)
{
    for (; count > 0; count--)
        at = __sapa_put(to, size, at, c);
    return at;
}

/* Ends the text; how many characters it would have. */
int __sapa_end_text(char *to, size_t size, size_t at)
{
    if (size)
        to[at < size ? at : size - 1] = 0;
    return (int)at;
}

/* A negative width is one to the left. */
static int as_width(int width) { return width < 0 ? -width : width; }

size_t __sapa_put_character(char *to, size_t size, size_t at, int c, int flags, int width)
{
    int left = flags & LEFT || width < 0, padding = as_width(width) - 1;
    if (!left)
        at = repeat(to, size, at, ' ', padding);
    at = __sapa_put(to, size, at, (char)c);
    return left ? repeat(to, size, at, ' ', padding) : at;
}

/* At most as many characters as the precision says, unless it is negative. */
size_t __sapa_put_text(char *to, size_t size, size_t at, const char *text, int flags, int width,
                       int precision)
{
    int left = flags & LEFT || width < 0;
    int length = (int)(precision < 0 ? strlen(text) : strnlen(text, precision));
    int padding = as_width(width) - length;
    if (!left)
        at = repeat(to, size, at, ' ', padding);
    for (int i = 0; i < length; i++)
        at = __sapa_put(to, size, at, text[i]);
    return left ? repeat(to, size, at, ' ', padding) : at;
}

static char digit(unsigned value, int flags)
{
    return (char)(value < 10 ? '0' + value : (flags & UPPER ? 'A' : 'a') + value - 10);
}

/* A number whose digits are there, the last one first. */
static size_t put_digits(char *to, size_t size, size_t at, const char *digits, int count, char sign,
                         unsigned base, int flags, int width, int precision)
{
    int left = flags & LEFT || width < 0;
    int zeros = precision - count;
    int prefix = flags & ALTERNATE && base == 16 ? 2 : 0;
    if (flags & ALTERNATE && base == 8 && zeros <= 0)
        zeros = count && digits[count - 1] == '0' ? 0 : 1;
    if (zeros < 0)
        zeros = 0;
    int padding = as_width(width) - count - zeros - prefix - (sign != 0);
    if (flags & ZEROS && !left && precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!left)
        at = repeat(to, size, at, ' ', padding);
    if (sign)
        at = __sapa_put(to, size, at, sign);
    if (prefix) {
        at = __sapa_put(to, size, at, '0');
        at = __sapa_put(to, size, at, flags & UPPER ? 'X' : 'x');
    }
    at = repeat(to, size, at, '0', zeros);
    while (count > 0)
        at = __sapa_put(to, size, at, digits[--count]);
    return left ? repeat(to, size, at, ' ', padding) : at;
}

/* Zero at a precision of zero has no digits, and no prefix has a zero. */
size_t __sapa_put_unsigned(char *to, size_t size, size_t at, unsigned value, unsigned base,
                           int flags, int width, int precision, char sign)
{
    char digits[11];
    int count = 0;
    if (!value)
        flags &= base == 16 ? ~ALTERNATE : ~0;
    for (unsigned rest = value; rest || (!count && precision); rest /= base)
        digits[count++] = digit(rest % base, flags);
    return put_digits(to, size, at, digits, count, sign, base, flags, width, precision);
}

size_t __sapa_put_unsigned_long(char *to, size_t size, size_t at, unsigned long long value,
                                unsigned base, int flags, int width, int precision, char sign)
{
    char digits[22];
    int count = 0;
    if (!value)
        flags &= base == 16 ? ~ALTERNATE : ~0;
    for (unsigned long long rest = value; rest || (!count && precision); rest /= base)
        digits[count++] = digit((unsigned)(rest % base), flags);
    return put_digits(to, size, at, digits, count, sign, base, flags, width, precision);
}

/* `sign` is what stands before a number that is not negative, or 0. */
size_t __sapa_put_int(char *to, size_t size, size_t at, int value, unsigned base, int flags,
                      int width, int precision, char sign)
{
    unsigned magnitude = value < 0 ? 0 - (unsigned)value : (unsigned)value;
    if (value < 0)
        sign = '-';
    return __sapa_put_unsigned(to, size, at, magnitude, base, flags, width, precision, sign);
}

size_t __sapa_put_long(char *to, size_t size, size_t at, long long value, unsigned base, int flags,
                       int width, int precision, char sign)
{
    unsigned long long magnitude = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    if (value < 0)
        sign = '-';
    return __sapa_put_unsigned_long(to, size, at, magnitude, base, flags, width, precision, sign);
}

/* What is not modelled is any text. */
size_t __sapa_put_any(char *to, size_t size, size_t at)
{
    while (__sapa_unmodelled_bool("snprintf"))
        at = __sapa_put(to, size, at, __sapa_unmodelled_char("snprintf"));
    return at;
}

/* ---- A format that is read as the program runs, with its variable arguments ---- */

static const char *read_amount(const char *format, int *amount)
{
    for (; *format >= '0' && *format <= '9'; format++)
        *amount = *amount * 10 + (*format - '0');
    return format;
}

/* The bytes of an integer after `h`, `l` and the like; 0 for what is no integer's. */
static const char *read_length(const char *format, int *bytes)
{
    *bytes = sizeof(int);
    switch (*format) {
    case 'h':
        *bytes = format[1] == 'h' ? 1 : 2;
        return format + (format[1] == 'h' ? 2 : 1);
    case 'l':
        *bytes = format[1] == 'l' ? sizeof(long long) : sizeof(long);
        return format + (format[1] == 'l' ? 2 : 1);
    case 'q':
    case 'j': *bytes = sizeof(long long); return format + 1;
    case 'z':
    case 't': *bytes = sizeof(long); return format + 1;
    case 'L': *bytes = 0; return format + 1;
    }
    return format;
}

/* Floating-point numbers, pointers and wide characters are any text; and so is all from a conversion on that is not
   known. */
size_t __sapa_put_format(char *to, size_t size, size_t at, const char *format, __builtin_va_list all)
{
    __builtin_va_list list;
    __builtin_va_copy(list, all);
    for (; *format; format++) {
        if (*format != '%') {
            at = __sapa_put(to, size, at, *format);
            continue;
        }
        int flags = 0, width = 0, precision = -1, is_flag = 1, bytes;
        char sign = 0;
        while (is_flag) {
            switch (*++format) {
            case '-': flags |= LEFT; break;
            case '0': flags |= ZEROS; break;
            case '#': flags |= ALTERNATE; break;
            case '+': sign = '+'; break;
            case ' ': sign = sign ? sign : ' '; break;
            default: is_flag = 0;
            }
        }
        if (*format == '*') {
            width = __builtin_va_arg(list, int);
            format++;
        } else {
            format = read_amount(format, &width);
        }
        if (*format == '.') {
            format++;
            precision = 0;
            if (*format == '*') {
                precision = __builtin_va_arg(list, int);
                format++;
            } else {
                format = read_amount(format, &precision);
            }
        }
        const char *length = format;
        format = read_length(format, &bytes);
        int has_length = format != length;
        unsigned base = 10;
        switch (*format) {
        case '%': at = __sapa_put(to, size, at, '%'); break;
        case 'c':
            if (has_length)
                return __sapa_put_any(to, size, at);
            at = __sapa_put_character(to, size, at, __builtin_va_arg(list, int), flags, width);
            break;
        case 's':
            if (has_length)
                return __sapa_put_any(to, size, at);
            at = __sapa_put_text(to, size, at, __builtin_va_arg(list, const char *), flags, width, precision);
            break;
        case 'd':
        case 'i':
            if (bytes > (int)sizeof(int)) {
                long long value = __builtin_va_arg(list, long long);
                at = __sapa_put_long(to, size, at, value, 10, flags, width, precision, sign);
            } else if (bytes) {
                int value = __builtin_va_arg(list, int);
                value = bytes == 1 ? (signed char)value : bytes == 2 ? (short)value : value;
                at = __sapa_put_int(to, size, at, value, 10, flags, width, precision, sign);
            } else {
                return __sapa_put_any(to, size, at);
            }
            break;
        case 'X': flags |= UPPER; /* Falls through. */
        case 'x': base = 16; /* Falls through. */
        case 'o':
            if (base != 16)
                base = 8; /* Falls through. */
        case 'u':
            if (bytes > (int)sizeof(int)) {
                unsigned long long value = __builtin_va_arg(list, unsigned long long);
                at = __sapa_put_unsigned_long(to, size, at, value, base, flags, width, precision, 0);
            } else if (bytes) {
                unsigned value = __builtin_va_arg(list, unsigned);
                value = bytes == 1 ? (unsigned char)value : bytes == 2 ? (unsigned short)value : value;
                at = __sapa_put_unsigned(to, size, at, value, base, flags, width, precision, 0);
            } else {
                return __sapa_put_any(to, size, at);
            }
            break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            if (!bytes)
                return __sapa_put_any(to, size, at);
            __builtin_va_arg(list, double);
            at = __sapa_put_any(to, size, at);
            break;
        case 'p':
            __builtin_va_arg(list, void *);
            at = __sapa_put_any(to, size, at);
            break;
        default: return __sapa_put_any(to, size, at);
        }
    }
    return at;
}

/* ---- GNU's `asprintf`: an array of the text's size, unless there is none: then the result is null, or in older
   versions what it was ---- */

char *__sapa_array_of_text(char **result, size_t length)
{
    char *array = malloc(length + 1);
    if (array || __sapa_unmodelled_bool("asprintf"))
        *result = array;
    return array;
}

size_t __sapa_room(const char *array, size_t length) { return array ? length + 1 : 0; }

/* Of what is any text, the second may have another length than the first: what is there counts. */
int __sapa_end_allocated(char *to, size_t size, size_t at)
{
    if (!size)
        return -1;
    if (at >= size)
        at = size - 1;
    to[at] = 0;
    return (int)at;
}
