// precise: SUCCESSFUL --property pointers
// precise: FAILED --property pointers -DCONSTANT
// precise: FAILED --property pointers -DSYMBOLIC
// precise: FAILED --property pointers -DPOINTERS
// precise: FAILED --property pointers -DTEXT
// `memcpy` and `strcpy` copy between places that have no byte in common (C11 7.24.2.1); the very same place is let pass.
#include <string.h>
int __VERIFIER_nondet_int(void);
int numbers[8];
char text[16] = "12345";
struct {
    int some[4];
} a, b;

static void copy(int *to, const int *from, int count) { memcpy(to, from, count * sizeof(int)); }

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 4)
        return 0;
#ifdef CONSTANT
    memcpy(numbers, numbers + 2, 3 * sizeof(int));
#else
    memcpy(numbers, numbers + 3, 3 * sizeof(int));
#endif
#ifdef SYMBOLIC
    memcpy(numbers + n, numbers + 3, 3 * sizeof(int));
#else
    memcpy(numbers, numbers + 4, n * sizeof(int));
#endif
#ifdef POINTERS
    copy(numbers + 1, numbers, 2);
#else
    copy(numbers + 2, numbers, 2);
#endif
    memmove(numbers + 1, numbers, 4 * sizeof(int));
    memcpy(&a, &a, sizeof a);
    memcpy(&a, &b, sizeof a);
    a = a;
#ifdef TEXT
    strcpy(text, text + 5 - 1);
    strcpy(text, "12345");
    strcpy(text, text + 2);
#else
    strcpy(text, text + 4);
#endif
    return numbers[0];
}
