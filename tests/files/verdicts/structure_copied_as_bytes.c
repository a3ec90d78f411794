// precise: FAILED --threads 1
#include <string.h>
struct s {
    char c;
    int i;
} from, to;

int main(void) {
    from.i = 3;
    memcpy((char *)&to, (char *)&from, sizeof from);
    __CPROVER_assert(to.i != 3, "the copy");
}
