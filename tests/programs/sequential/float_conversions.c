// covers: floats
#include "observe.h"

int main(void)
{
    int i = -7;
    unsigned u = 4000000000u;
    long l = 9007199254740993L;
    observe((int)(1.5f * (float)i));
    observe((long)((double)u * 2));
    observe((long)(double)l);
    observe((long)(float)16777217);
    observe((unsigned)3.99);
    observe((char)-3.7);
    observe((int)(float)0.1 + (int)1e9);
    observe((_Bool)0.5);
    observe((long)1e18f);
    observe((unsigned long)1.8e19 > (1UL << 63));
    observe_end();
    return 0;
}
