// precise: FAILED --property pointers
// precise: FAILED --property pointers -DCOPIED
// precise: FAILED --property pointers -DOFTEN
// precise: SUCCESSFUL --property pointers -DSAFE
// A string literal is no array that may be written to.
#include <string.h>

int __VERIFIER_nondet_int(void);

static void first(char *text) { text[0] = 'x'; }

int main(void)
{
    char array[] = "abc";
    char *text = __VERIFIER_nondet_int() ? "abc" : array;
#ifdef COPIED
    strcpy(text + 1, "z");
#elif defined OFTEN
    for (int i = 0; i < 2; i++)
        text[i]++;
#elif defined SAFE
    if (text == array)
        first(text);
    first(array);
#else
    first(text);
#endif
    return text[0];
}
