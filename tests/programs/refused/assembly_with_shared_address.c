// covers: asm
// error: the assembly 'addl %1, %0' is not supported (it comes after an output was written

/* GCC puts the address of the object into the register of the output, which is written first. */
#include <stdlib.h>

int main(void)
{
    int x, *p = malloc(sizeof *p), **pp = &p;
    *p = 7;
    asm volatile("movl $0, %0\n\taddl %1, %0" : "=r"(x) : "m"(**pp));
    return x;
}
