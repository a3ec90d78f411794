// covers: bit-fields
#include "observe.h"

struct header { unsigned version : 4, type : 4; unsigned length : 12; int rest : 12; };
static struct header header = { 4, 9, 300, -2 };
static struct header *pointer = &header;

int main(void)
{
    observe(header.version);
    observe(header.length);
    observe(header.type);
    header.length = 1000;
    observe(header.length * 10 + header.type);
    observe(pointer->version);
    observe_end();
    return 0;
}
