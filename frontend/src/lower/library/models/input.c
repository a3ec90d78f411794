/* <stdio.h> and <unistd.h>: what is read, which may be anything that a function can give. */

typedef unsigned long size_t;

enum { EOF = -1, EINVAL = 22 };

/* An error of the system, whatever it is. */
static void set_error(void)
{
    int error = __VERIFIER_nondet_int();
    *__errno_location() = error > 0 ? error : 1;
}

/* ---- Characters, lines, bytes ---- */

int fgetc(void *file)
{
    if (__VERIFIER_nondet_bool())
        return EOF;
    return __VERIFIER_nondet_uchar();
}

int getc(void *file) { return fgetc(file); }
int getchar(void) { return fgetc(0); }

/* That what was put back is read next is not modelled. */
int ungetc(int c, void *file)
{
    return c != EOF && __sapa_unmodelled_bool("ungetc") ? c & 255 : EOF;
}

/* Without a character there is no text; after an error nothing is known of it. */
char *fgets(char *to, int size, void *file)
{
    int length = 0;
    while (length < size - 1 && __VERIFIER_nondet_bool()) {
        char c = __VERIFIER_nondet_char();
        to[length++] = c;
        if (c == '\n')
            break;
    }
    if (size < 1 || (size > 1 && !length))
        return 0;
    if (__VERIFIER_nondet_bool()) {
        set_error();
        return 0;
    }
    to[length] = 0;
    return to;
}

long read(int file, void *to, size_t size)
{
    unsigned char *bytes = to;
    size_t count = 0;
    if (__VERIFIER_nondet_bool()) {
        set_error();
        return -1;
    }
    while (count < size && __VERIFIER_nondet_bool())
        bytes[count++] = __VERIFIER_nondet_uchar();
    return (long)count;
}

long write(int file, const void *from, size_t size)
{
    if (__VERIFIER_nondet_bool()) {
        set_error();
        return -1;
    }
    size_t count = __VERIFIER_nondet_ulong();
    return (long)(count < size ? count : size);
}

/* A part of an item may have been read behind those that were. */
size_t fread(void *to, size_t size, size_t count, void *file)
{
    unsigned char *bytes = to;
    size_t at = 0;
    while (at < size * count && __VERIFIER_nondet_bool())
        bytes[at++] = __VERIFIER_nondet_uchar();
    return size ? at / size : 0;
}

size_t fwrite(const void *from, size_t size, size_t count, void *file)
{
    size_t written = __VERIFIER_nondet_ulong();
    if (!size)
        return 0;
    return written < count ? written : count;
}

/* ---- Files ---- */

/* A stream is an object of one byte, which says whether it was opened: the standard ones are there all along. */
void *fopen(const char *name, const char *mode)
{
    char *file = __VERIFIER_nondet_bool() ? 0 : malloc(1);
    if (!file) {
        set_error();
        return 0;
    }
    *file = 1;
    return file;
}

void *fdopen(int file, const char *mode) { return fopen(0, mode); }

int fclose(void *file)
{
    if (*(char *)file)
        free(file);
    return __VERIFIER_nondet_bool() ? EOF : 0;
}

void *freopen(const char *name, const char *mode, void *file)
{
    if (__VERIFIER_nondet_bool()) {
        set_error();
        return 0;
    }
    return file;
}

void *tmpfile(void) { return fopen(0, 0); }

/* Where in a file something is read next does not matter to the models, which read anything. */
static int status(void)
{
    if (!__VERIFIER_nondet_bool())
        return 0;
    set_error();
    return -1;
}

int fseek(void *file, long offset, int whence) { return status(); }
int fseeko(void *file, long offset, int whence) { return status(); }
void rewind(void *file) { status(); }

long ftell(void *file) { return status() ? -1 : __sapa_unmodelled_long("ftell") & (long)(-1UL / 2); }
long ftello(void *file) { return ftell(file); }
int fileno(void *file) { return status() ? -1 : __sapa_unmodelled_int("fileno") & 0x7fffffff; }

/* ---- Lines of any length ---- */

/* Up to a character, or the end. Where the array has no room, or there is none, it becomes larger. */
long getdelim(char **line, size_t *size, int end, void *file)
{
    if (!line || !size) {
        *__errno_location() = EINVAL;
        return -1;
    }
    if (__VERIFIER_nondet_bool()) {
        /* At the end, or after an error, there may be an array already. */
        if (!*line && __VERIFIER_nondet_bool()) {
            *line = malloc(120);
            *size = *line ? 120 : 0;
        }
        if (__VERIFIER_nondet_bool())
            set_error();
        return -1;
    }
    size_t length = 1;
    while (__VERIFIER_nondet_bool())
        length++;
    if (!*line || *size <= length) {
        size_t larger = __VERIFIER_nondet_ulong();
        __CPROVER_assume(larger > length && larger <= 2 * length + 120);
        char *moved = realloc(*line, larger);
        if (!moved) {
            set_error();
            return -1;
        }
        *line = moved;
        *size = larger;
    }
    char *to = *line;
    for (size_t at = 0; at + 1 < length; at++) {
        to[at] = __VERIFIER_nondet_char();
        __CPROVER_assume((unsigned char)to[at] != (unsigned char)end);
    }
    to[length - 1] = __VERIFIER_nondet_char();
    to[length] = 0;
    return (long)length;
}

long getline(char **line, size_t *size, void *file) { return getdelim(line, size, '\n', file); }

/* What was read before says more of it, which is not modelled. */
int feof(void *file) { return __sapa_unmodelled_int("feof"); }
int ferror(void *file) { return __sapa_unmodelled_int("ferror"); }

void clearerr(void *file) {}
void setbuf(void *file, char *buffer) {}
int setvbuf(void *file, char *buffer, int mode, size_t size) { return __VERIFIER_nondet_int(); }

/* ---- What `scanf` reads by a format: of a text, or where there is none, any input ---- */

struct scan {
    const char *at; /* Null where the input is any. */
    int count;      /* Conversions so far. */
    int is_stopped;
    int is_text; /* Whether there is a text, although not all of what is read of it is modelled. */
    const char *start;
};

void __sapa_scan_begin(void *object, const char *text, int is_text)
{
    struct scan *scan = object;
    scan->at = text;
    scan->count = 0;
    scan->is_stopped = 0;
    scan->is_text = is_text;
    scan->start = text;
}

int __sapa_scan_end(void *object)
{
    struct scan *scan = object;
    return scan->count;
}

static int choose(struct scan *scan)
{
    return scan->is_text ? __sapa_unmodelled_bool("sscanf") : __VERIFIER_nondet_bool();
}

static long long any(struct scan *scan)
{
    return scan->is_text ? __sapa_unmodelled_longlong("sscanf") : __VERIFIER_nondet_longlong();
}

/* Stops: at the end of what can be read, before which nothing was converted, the result is `EOF`. */
static void stop(struct scan *scan, int is_end)
{
    scan->is_stopped = 1;
    if (is_end && !scan->count)
        scan->count = EOF;
}

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void __sapa_scan_space(void *object)
{
    struct scan *scan = object;
    if (!scan->is_stopped && scan->at)
        while (is_space(*scan->at))
            scan->at++;
}

/* Whether something follows. Where the input is any, it may end, or be what is not converted. */
static int follows(struct scan *scan, int may_differ)
{
    if (scan->is_stopped)
        return 0;
    if (scan->at ? *scan->at != 0 : choose(scan))
        return 1;
    stop(scan, scan->at || !may_differ || choose(scan));
    return 0;
}

void __sapa_scan_character(void *object, char c)
{
    struct scan *scan = object;
    if (!follows(scan, 1))
        return;
    if (scan->at && *scan->at++ != c)
        stop(scan, 0);
}

/* Stores a converted number, unless there is nowhere to store it. */
static void store(struct scan *scan, void *to, int size, long long value)
{
    if (!to)
        return;
    scan->count++;
    if (size == 1)
        *(char *)to = (char)value;
    else if (size == 2)
        *(short *)to = (short)value;
    else if (size == 4)
        *(int *)to = (int)value;
    else
        *(long long *)to = value;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 36;
}

/* Any number of so many characters, of which one may be the sign. */
static long long any_number(struct scan *scan, int base, int width)
{
    enum { MOST = 15 }; /* Numbers of more digits are not told from any. */
    long long value = any(scan), of_digits = 1;
    if (width > MOST)
        return value;
    for (int i = 1; i < width; i++)
        of_digits *= base ? base : 16;
    __CPROVER_assume(value > -of_digits && value < of_digits * (base ? base : 16));
    return value;
}

/* C leaves open what becomes of a number that does not fit. */
void __sapa_scan_integer(void *object, int base, int width, void *to, int size)
{
    struct scan *scan = object;
    unsigned long long number = 0;
    int count = 0, sign = 0;
    __sapa_scan_space(scan);
    if (!follows(scan, 1))
        return;
    if (!scan->at) {
        store(scan, to, size, any_number(scan, base, width));
        return;
    }
    const char *at = scan->at;
    if (*at == '-' || *at == '+') {
        sign = *at++;
        width--;
    }
    int has_prefix = (base == 0 || base == 16) && width > 1 && at[0] == '0'
                     && (at[1] == 'x' || at[1] == 'X');
    if (has_prefix) {
        at += 2;
        width -= 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (; count < width && digit(*at) < base; count++)
        number = number * base + digit(*at++);
    scan->at = at;
    /* A prefix alone is no number in C, and zero in glibc. */
    if (count || (has_prefix && __VERIFIER_nondet_bool()))
        store(scan, to, size, (long long)(sign == '-' ? 0 - number : number));
    else
        stop(scan, 0);
}

/* The bits of a floating-point number, which are not modelled. */
void __sapa_scan_bits(void *object, void *to, int size)
{
    struct scan *scan = object;
    if (follows(scan, 1))
        store(scan, to, size, any(scan));
}

/* Fewer characters than are wanted are converted by glibc, and not in C. */
void __sapa_scan_characters(void *object, int wanted, char *to)
{
    struct scan *scan = object;
    int i = 0;
    if (!follows(scan, 0))
        return;
    for (; i < wanted && (scan->at ? *scan->at != 0 : !i || choose(scan)); i++) {
        char c = scan->at ? *scan->at++ : (char)any(scan);
        if (to)
            to[i] = c;
    }
    if (i < wanted && __VERIFIER_nondet_bool())
        stop(scan, 0);
    else if (to)
        scan->count++;
}

/* A floating-point number. Where it ends is found, but of one that breaks off in its exponent; its value is not
   modelled. */
void __sapa_scan_float(void *object, void *to, int size)
{
    struct scan *scan = object;
    __sapa_scan_space(scan);
    if (!follows(scan, 1))
        return;
    if (scan->at) {
        const char *end = __sapa_end_of_decimal(scan->at);
        if (end == scan->at || ((*end == 'e' || *end == 'E') && choose(scan))) {
            stop(scan, 0);
            return;
        }
        scan->at = end;
    }
    store(scan, to, size, any(scan));
}

/* How many characters were read so far; it does not count as a conversion. */
void __sapa_scan_read(void *object, void *to, int size)
{
    struct scan *scan = object;
    if (scan->is_stopped)
        return;
    store(scan, to, size, scan->at ? scan->at - scan->start : __sapa_unmodelled_int("scanf") & 0x7fffffff);
    scan->count -= to != 0;
}

/* Characters up to the next space. */
void __sapa_scan_word(void *object, int width, char *to)
{
    struct scan *scan = object;
    int length = 0;
    __sapa_scan_space(scan);
    if (!follows(scan, 0))
        return;
    for (; length < width; length++) {
        char c = scan->at ? *scan->at : (char)any(scan);
        /* A zero ends a text; in input it is a character as others. */
        int is_end = scan->is_text ? !c : length && choose(scan);
        if (is_end || is_space(c))
            break;
        if (scan->at)
            scan->at++;
        if (to)
            to[length] = c;
    }
    __CPROVER_assume(length > 0);
    if (to) {
        to[length] = 0;
        scan->count++;
    }
}

/* Characters of a set: a bit for each of the 256. */
void __sapa_scan_set(void *object, unsigned long long first, unsigned long long second, unsigned long long third,
                     unsigned long long fourth, int width, char *to)
{
    struct scan *scan = object;
    int length = 0;
    if (!follows(scan, 1))
        return;
    for (; length < width; length++) {
        if (!scan->at && length && choose(scan))
            break;
        char c = scan->at ? *scan->at : (char)any(scan);
        unsigned char byte = (unsigned char)c;
        unsigned long long part = byte < 64 ? first : byte < 128 ? second : byte < 192 ? third : fourth;
        int is_member = (part >> (byte & 63) & 1) != 0;
        if (scan->at) {
            if (!c || !is_member)
                break;
            scan->at++;
        } else {
            __CPROVER_assume(is_member && (c || !scan->is_text));
        }
        if (to)
            to[length] = c;
    }
    if (!length) {
        stop(scan, 0);
    } else if (to) {
        to[length] = 0;
        scan->count++;
    }
}
