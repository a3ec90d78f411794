// covers: struct-values
// Padding is set and copied with the rest.
#include <string.h>
#include "observe.h"

struct padded {
    char type;
    int value;
};
union mixed {
    struct padded first;
    unsigned char raw[8];
} mixed;
struct narrow {
    unsigned bits : 3;
} narrow;

int main(void)
{
    for (int i = 0; i < 8; i++)
        mixed.raw[i] = i + 1;
    observe(mixed.raw[1]);
    memset(&mixed, 0, sizeof mixed);
    observe(mixed.raw[1]);

    unsigned char in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0};
    memcpy((struct padded *)out, (struct padded *)in, sizeof(struct padded));
    for (int i = 0; i < 8; i++)
        observe(out[i]);

    struct padded a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    observe(memcmp(&a, &b, sizeof a) == 0);

    unsigned char *bytes = (unsigned char *)&narrow;
    bytes[3] = 7;
    memset(&narrow, 0, sizeof narrow);
    observe(bytes[3]);
    observe_end();
    return 0;
}
