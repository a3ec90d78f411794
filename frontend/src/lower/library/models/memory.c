/* <string.h> and <stdlib.h>: functions on memory. */

typedef unsigned long size_t;

void *memset(void *object, int byte, size_t size)
{
    unsigned char *to = object;
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)byte;
    return object;
}

void *memcpy(void *target, const void *source, size_t size)
{
    unsigned char *to = target;
    const unsigned char *from = source;
    for (size_t i = 0; i < size; i++)
        to[i] = from[i];
    return target;
}

void *memmove(void *target, const void *source, size_t size)
{
    unsigned char *to = target;
    const unsigned char *from = source;
    /* Comparing pointers into different objects says nothing, and then any order does. */
    if (to < from) {
        for (size_t i = 0; i < size; i++)
            to[i] = from[i];
    } else {
        for (size_t i = size; i > 0; i--)
            to[i - 1] = from[i - 1];
    }
    return target;
}

/* How two bytes compare: C gives the sign alone. */
static int comparison(unsigned char a, unsigned char b)
{
    int any = __VERIFIER_nondet_int();
    if (a < b)
        return any < 0 ? any : -1;
    if (a > b)
        return any > 0 ? any : 1;
    return 0;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return comparison(a[i], b[i]);
    return 0;
}

void *memchr(const void *object, int byte, size_t size)
{
    const unsigned char *from = object;
    for (size_t i = 0; i < size; i++)
        if (from[i] == (unsigned char)byte)
            return (void *)(from + i);
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

size_t strnlen(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return length;
}

int strcmp(const char *left, const char *right)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return comparison(*a, *b);
}

int strncmp(const char *left, const char *right, size_t most)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < most; i++) {
        if (a[i] != b[i])
            return comparison(a[i], b[i]);
        if (!a[i])
            return 0;
    }
    return 0;
}

char *strcpy(char *target, const char *source)
{
    size_t i = 0;
    while ((target[i] = source[i]))
        i++;
    return target;
}

char *strncpy(char *target, const char *source, size_t most)
{
    size_t i = 0;
    for (; i < most && source[i]; i++)
        target[i] = source[i];
    for (; i < most; i++)
        target[i] = 0;
    return target;
}

char *strcat(char *target, const char *source)
{
    strcpy(target + strlen(target), source);
    return target;
}

char *strchr(const char *text, int byte)
{
    for (;; text++) {
        if (*text == (char)byte)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

char *strrchr(const char *text, int byte)
{
    char *last = 0;
    for (;; text++) {
        if (*text == (char)byte)
            last = (char *)text;
        if (!*text)
            return last;
    }
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    void *object = malloc(size);
    if (!object)
        return 12; /* ENOMEM */
    *result = object;
    return 0;
}

/* The part that both sizes have keeps its contents; the old object is gone. */
void *realloc(void *old, size_t size)
{
    if (!old)
        return malloc(size);
    size_t known = __CPROVER_OBJECT_SIZE(old);
    void *object = malloc(size);
    if (!object)
        return 0;
    memcpy(object, old, known < size ? known : size);
    free(old);
    return object;
}

void *reallocarray(void *old, size_t count, size_t size)
{
    return realloc(old, count * size);
}
