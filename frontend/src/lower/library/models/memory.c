/* <string.h> and <stdlib.h>: functions on memory. */

typedef unsigned long size_t;

void *memset(void *object, int byte, size_t size)
{
    unsigned char *to = object;
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)byte;
    return object;
}

/* Nothing: where it is called, `check-pointers` asks that a copy has no byte in common with what it is made of (C11
   7.24.2.1). The very same place is let pass, as compilers copy structures so. */
int __sapa_apart(const void *target, const void *source, size_t size) { return 0; }

void *memcpy(void *target, const void *source, size_t size)
{
    __sapa_apart(target, source, size);
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

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return __sapa_comparison(a[i], b[i]);
    return 0;
}

int bcmp(const void *left, const void *right, size_t size) { return memcmp(left, right, size); }

void *memchr(const void *object, int byte, size_t size)
{
    const unsigned char *from = object;
    for (size_t i = 0; i < size; i++)
        if (from[i] == (unsigned char)byte)
            return (void *)(from + i);
    return 0;
}

void *memrchr(const void *object, int byte, size_t size)
{
    const unsigned char *from = object;
    for (size_t i = size; i > 0; i--)
        if (from[i - 1] == (unsigned char)byte)
            return (void *)(from + i - 1);
    return 0;
}

void *memmem(const void *object, size_t size, const void *part, size_t length)
{
    const unsigned char *from = object;
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(from + i, part, length))
            return (void *)(from + i);
    return 0;
}

/* The byte behind the copy of the byte that ends it. */
void *memccpy(void *target, const void *source, int byte, size_t size)
{
    unsigned char *to = target;
    const unsigned char *from = source;
    for (size_t i = 0; i < size; i++)
        if ((to[i] = from[i]) == (unsigned char)byte)
            return to + i + 1;
    return 0;
}

void *mempcpy(void *target, const void *source, size_t size)
{
    return (char *)memcpy(target, source, size) + size;
}

void bcopy(const void *source, void *target, size_t size) { memmove(target, source, size); }

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

char *strcpy(char *target, const char *source)
{
    size_t i = 0;
    while ((target[i] = source[i]))
        i++;
    __sapa_apart(target, source, i + 1);
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

/* Where the copy ends. */
char *stpcpy(char *target, const char *source)
{
    size_t i = 0;
    while ((target[i] = source[i]))
        i++;
    return target + i;
}

/* The zero that ends the copy, or where one would be that has no room. */
char *stpncpy(char *target, const char *source, size_t most)
{
    size_t length = strnlen(source, most);
    strncpy(target, source, most);
    return target + length;
}

/* A copy that fits into a size, and the length that it would have. */
size_t strlcpy(char *target, const char *source, size_t size)
{
    size_t i = 0;
    for (; source[i]; i++)
        if (i + 1 < size)
            target[i] = source[i];
    if (size)
        target[i < size ? i : size - 1] = 0;
    return i;
}

size_t strlcat(char *target, const char *source, size_t size)
{
    size_t length = strnlen(target, size);
    return length + strlcpy(target + length, source, size - length);
}

char *strcat(char *target, const char *source)
{
    strcpy(target + strlen(target), source);
    return target;
}

char *strncat(char *target, const char *source, size_t most)
{
    char *end = target + strlen(target);
    size_t i = 0;
    for (; i < most && source[i]; i++)
        end[i] = source[i];
    end[i] = 0;
    return target;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
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

/* A product that is too large is an error (12: ENOMEM), and the old object stays. */
void *reallocarray(void *old, size_t count, size_t size)
{
    size_t product;
    if (__builtin_mul_overflow(count, size, &product)) {
        *__errno_location() = 12;
        return 0;
    }
    return realloc(old, product);
}
