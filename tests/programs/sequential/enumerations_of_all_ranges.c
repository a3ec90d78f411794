// covers: enumerations
// The type of an enumeration holds all values; enumerators that fit no int are of that type.
#include "observe.h"

enum mixed { MINUS = -1, LARGE = 0x80000000u };
enum grows { FIRST = 0x80000000u, WITHIN = sizeof(FIRST), LAST = 0x100000000, NEXT };
enum negative { LEAST = -2147483649, AFTER, UNSIGNED = 0x80000000 };
enum most { MOST = 0xffffffffffffffff };
enum characters { LETTER = (char)127, ABOVE, BYTE = (unsigned char)255, BEYOND };
enum __attribute__((packed)) narrow { SMALL = 200, BELOW = -1 };

int main(void)
{
    enum mixed m = LARGE;
    observe(sizeof(enum mixed));
    observe(m > 0);
    observe(m);
    observe(-LARGE < 0);
    observe(sizeof(LARGE) + sizeof(MINUS));
    observe(sizeof(FIRST));
    observe(WITHIN);
    observe(FIRST << 1);
    observe(NEXT);
    observe(sizeof(AFTER) + sizeof(UNSIGNED) + sizeof(enum negative));
    observe(LEAST < 0 && AFTER < 0);
    observe(_Generic(UNSIGNED, unsigned: 1, long: 2, default: 3));
    observe(_Generic(FIRST, unsigned: 1, unsigned long: 2, default: 3));
    observe(_Generic((enum mixed)0, int: 1, long: 2, default: 3));
    enum most most = MOST;
    most++;
    observe(most);
    observe(ABOVE + BEYOND);
    observe(sizeof(enum narrow));
    observe((enum narrow)200);
    observe_end();
    return 0;
}
