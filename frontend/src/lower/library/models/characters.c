/* <ctype.h> in the "C" locale, and numbers in texts. */

/* Any number but zero: C does not say which. */
static int yes(int condition)
{
    if (!condition)
        return 0;
    int any = __VERIFIER_nondet_int();
    return any ? any : 1;
}

int isdigit(int c) { return yes(c >= '0' && c <= '9'); }
int isupper(int c) { return yes(c >= 'A' && c <= 'Z'); }
int islower(int c) { return yes(c >= 'a' && c <= 'z'); }
int isalpha(int c) { return yes((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')); }

int isalnum(int c)
{
    return yes((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
}

int isxdigit(int c)
{
    return yes((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'));
}

int isspace(int c) { return yes(c == ' ' || (c >= '\t' && c <= '\r')); }
int isblank(int c) { return yes(c == ' ' || c == '\t'); }
int iscntrl(int c) { return yes((c >= 0 && c < ' ') || c == 127); }
int isprint(int c) { return yes(c >= ' ' && c < 127); }
int isgraph(int c) { return yes(c > ' ' && c < 127); }

int ispunct(int c)
{
    return yes(c > ' ' && c < 127 && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z')
               && !(c >= 'a' && c <= 'z'));
}

int isascii(int c) { return yes(c >= 0 && c < 128); }
int toascii(int c) { return c & 127; }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

/* C leaves open what becomes of a number that does not fit: the run ends there. */
long atol(const char *text)
{
    unsigned long number = 0;
    const unsigned long most = -1UL / 2; /* LONG_MAX */
    int minus = 0;
    while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        text++;
    if (*text == '-' || *text == '+')
        minus = *text++ == '-';
    while (*text >= '0' && *text <= '9') {
        unsigned long digit = *text++ - '0';
        /* The least number is one further from 0 than the greatest. */
        __CPROVER_assume(number < most / 10 || number == most / 10 && digit <= most % 10 + minus);
        number = number * 10 + digit;
    }
    return (long)(minus ? 0 - number : number);
}

long long atoll(const char *text) { return atol(text); }
int atoi(const char *text)
{
    long number = atol(text);
    __CPROVER_assume(number == (int)number);
    return (int)number;
}
