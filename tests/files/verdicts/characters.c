// precise: SUCCESSFUL --threads 0
// Functions on characters, bits and numbers in texts, as the "C" locale has them.
#include <arpa/inet.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

int main(void) {
    __CPROVER_assert(ffs(0) == 0 && ffs(1) == 1 && ffs(12) == 3, "the lowest bit");
    __CPROVER_assert(isdigit('7') && !isdigit('x') && isspace('\t') && !isspace('_'), "kinds");
    __CPROVER_assert(toupper('q') == 'Q' && tolower('Q') == 'q' && toupper('1') == '1', "cases");
    __CPROVER_assert(isalpha('z') && isalnum('0') && ispunct('!') && isxdigit('F'), "more kinds");
    __CPROVER_assert(atoi("42") == 42 && atoi(" -7x") == -7 && atol("x") == 0, "texts");
    __CPROVER_assert(ntohl(htonl(0x1020304)) == 0x1020304 && htons(0x102) == 0x201, "bytes");
    __CPROVER_assert(fabs(-2.5) == 2.5 && abs(-3) == 3 && labs(-4) == 4, "magnitudes");
    unsigned char c = __VERIFIER_nondet_uchar();
    __CPROVER_assert(!isdigit(c) || toupper(c) == c, "digits have no case");
}
