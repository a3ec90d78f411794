// covers: integers
#include "observe.h"

int main(void)
{
    observe(0x7fffffff);
    observe(0xffffffff);
    observe(0777);
    observe(0b1011);
    observe('a');
    observe('\n');
    observe('\x41');
    observe('\377');
    observe(1u - 2u > 0);
    observe(sizeof(1L) + sizeof(1ULL) + sizeof('a'));
    observe_end();
    return 0;
}
