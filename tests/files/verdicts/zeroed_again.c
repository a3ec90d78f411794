// An object that is allocated anew in each round has zeros in all of its bytes again, also between its members.
// precise: SUCCESSFUL
// precise: FAILED -DKEPT
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct mixed {
    char letter;
    int number;
};

int main(void) {
    int is_first = 1;
    do {
        struct mixed *own = calloc(1, sizeof *own);
        unsigned char *bytes = (unsigned char *)own;
#ifdef KEPT
        assert(is_first || bytes[1] != 0);
#else
        assert(bytes[1] == 0 && own->number == 0);
#endif
        bytes[1] = 7;
        own->number = 9;
        is_first = 0;
        free(own);
    } while (__VERIFIER_nondet_int());
}
