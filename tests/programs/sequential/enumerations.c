// covers: enumerations
#include "observe.h"

enum color { RED, GREEN = 5, BLUE, LAST = BLUE + 10 };
enum { NEGATIVE = -4 };

int main(void)
{
    enum color c = GREEN;
    observe(RED + BLUE);
    observe(c);
    observe(c == GREEN ? LAST : 0);
    observe(sizeof(enum color));
    observe(NEGATIVE < 0);
    enum { LOCAL = 3 };
    observe(LOCAL);
    observe_end();
    return 0;
}
