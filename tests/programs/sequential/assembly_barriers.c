// covers: asm
#include "observe.h"

int main(void)
{
    int x = 1;
    __asm__ __volatile__("" ::: "memory");
    __asm__ volatile("mfence" ::: "memory");
    asm("nop");
    asm volatile("lfence\n\tsfence");
    __asm__ __volatile__("pause");
    observe(x);
    observe_end();
    return 0;
}
