// covers: integers
#include "observe.h"

int main(void)
{
    long l = 0x123456789abcdefL;
    int i = (int)l;
    unsigned u = (unsigned)l;
    short s = (short)l;
    char ch = (char)l;
    observe(i);
    observe(u);
    observe(s);
    observe(ch);
    observe((unsigned char)-3);
    observe((long)(unsigned)-1);
    observe((unsigned long)-1 > 0);
    observe_end();
    return 0;
}
