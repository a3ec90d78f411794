// known gap: SUCCESSFUL --threads 0
// C defines this value, but it is not modelled.
#include <wctype.h>

int main(void) {
    __CPROVER_assert(towupper(L'q') == L'Q', "upper case");
}
