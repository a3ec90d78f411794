// precise: FAILED --threads 1
// The padding of one member of a union is bytes of another.
#include <string.h>
union {
    struct {
        char type;
        int value;
    } first;
    unsigned char raw[8];
} u;

int main(void) {
    u.raw[1] = 1;
    memset(&u, 0, sizeof u);
    __CPROVER_assert(u.raw[1] == 1, "all bytes are cleared");
}
