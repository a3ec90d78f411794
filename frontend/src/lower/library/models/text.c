/* <string.h> and <strings.h>: comparing, searching and splitting texts. */

typedef unsigned long size_t;

/* How two bytes compare: C gives the sign alone. */
int __sapa_comparison(unsigned char a, unsigned char b)
{
    int any = __VERIFIER_nondet_int();
    if (a < b)
        return any < 0 ? any : -1;
    if (a > b)
        return any > 0 ? any : 1;
    return 0;
}

int strcmp(const char *left, const char *right)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return __sapa_comparison(*a, *b);
}

int strncmp(const char *left, const char *right, size_t most)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < most; i++) {
        if (a[i] != b[i])
            return __sapa_comparison(a[i], b[i]);
        if (!a[i])
            return 0;
    }
    return 0;
}

/* In the "C" locale texts are ordered by their bytes. */
int strcoll(const char *left, const char *right) { return strcmp(left, right); }

int strncasecmp(const char *left, const char *right, size_t most)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    for (size_t i = 0; i < most; i++) {
        int x = tolower(a[i]), y = tolower(b[i]);
        if (x != y)
            return __sapa_comparison((unsigned char)x, (unsigned char)y);
        if (!x)
            return 0;
    }
    return 0;
}

int strcasecmp(const char *left, const char *right) { return strncasecmp(left, right, -1UL); }

char *strchrnul(const char *text, int byte)
{
    while (*text && *text != (char)byte)
        text++;
    return (char *)text;
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

char *index(const char *text, int byte) { return strchr(text, byte); }
char *rindex(const char *text, int byte) { return strrchr(text, byte); }

/* Whether a byte is one of a text's. */
static int is_among(char byte, const char *set)
{
    for (; *set; set++)
        if (*set == byte)
            return 1;
    return 0;
}

size_t strspn(const char *text, const char *accepted)
{
    size_t length = 0;
    while (text[length] && is_among(text[length], accepted))
        length++;
    return length;
}

size_t strcspn(const char *text, const char *rejected)
{
    size_t length = 0;
    while (text[length] && !is_among(text[length], rejected))
        length++;
    return length;
}

char *strpbrk(const char *text, const char *wanted)
{
    for (; *text; text++)
        if (is_among(*text, wanted))
            return (char *)text;
    return 0;
}

/* Whether a text begins with another. */
static int begins_with(const char *text, const char *start, int any_case)
{
    for (; *start; start++, text++)
        if (any_case ? tolower((unsigned char)*text) != tolower((unsigned char)*start)
                     : *text != *start)
            return 0;
    return 1;
}

char *strstr(const char *text, const char *part)
{
    for (;; text++) {
        if (begins_with(text, part, 0))
            return (char *)text;
        if (!*text)
            return 0;
    }
}

char *strcasestr(const char *text, const char *part)
{
    for (;; text++) {
        if (begins_with(text, part, 1))
            return (char *)text;
        if (!*text)
            return 0;
    }
}

/* ---- Splitting: where the rest begins is kept by the caller, or for all threads ---- */

char *strtok_r(char *text, const char *separators, char **rest)
{
    char *token = text ? text : *rest;
    while (*token && is_among(*token, separators))
        token++;
    char *end = token;
    while (*end && !is_among(*end, separators))
        end++;
    if (*end)
        *end++ = 0;
    *rest = end;
    return end == token ? 0 : token;
}

char *strtok(char *text, const char *separators)
{
    static char *rest;
    return strtok_r(text, separators, &rest);
}

char *strsep(char **text, const char *separators)
{
    char *token = *text;
    if (!token)
        return 0;
    char *end = token;
    while (*end && !is_among(*end, separators))
        end++;
    if (*end) {
        *end = 0;
        *text = end + 1;
    } else {
        *text = 0;
    }
    return token;
}
