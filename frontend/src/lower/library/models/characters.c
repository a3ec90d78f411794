/* <ctype.h> in the "C" locale. */

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
