// precise: SUCCESSFUL
// A locked instruction that adds nothing is a fence, reads its operand, and says whether that is zero.
#include <assert.h>

int main(void)
{
    int counter = 1, other = 3;
    unsigned char is_zero, is_not_zero;
    asm volatile("subl $1, %1\n\tlock; addl $0, %2\n\tsete %0"
                 : "=q"(is_zero), "+m"(counter), "+m"(other) : : "cc");
    assert(!is_zero && counter == 0 && other == 3);
    other = 0;
    asm volatile("incl %0\n\tlock; orl $0, %1\n\tsetne %2"
                 : "+m"(counter), "+m"(other), "=q"(is_not_zero) : : "cc");
    assert(!is_not_zero && counter == 1);
    asm volatile("lock; addl $0, -4(%%rsp)" : : : "memory", "cc");
    int cleared;
    asm("xorl %0, %0\n\tsete %1" : "=&r"(cleared), "=q"(is_zero) : : "cc");
    assert(!cleared && is_zero);
    return 0;
}
