// covers: asm
#include "observe.h"

static int exchange(volatile int *p, int v)
{
    int old;
    __asm__ volatile("lock; xchgl %0, %1" : "+m"(*p), "=a"(old) : "1"(v) : "memory");
    return old;
}

static int compare_and_swap(volatile int *p, int expected, int v)
{
    char done;
    int old = expected;
    __asm__ volatile("lock; cmpxchgl %3, %1\n\tsete %0"
                     : "=q"(done), "+m"(*p), "+a"(old) : "r"(v) : "memory");
    return done * 100 + old;
}

static long fetch_and_add(long *p, long v)
{
    __asm__ volatile("lock\n\txaddq %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

int main(void)
{
    int hidden = 5, copied, x = 1;
    long wide = 40;
    unsigned char is_zero;
    __asm__ volatile("" : "+r"(hidden));
    __asm__("" : "=r"(copied) : "0"(hidden + 1));
    observe(hidden * 10 + copied);
    observe(exchange(&x, 7));
    observe(compare_and_swap(&x, 7, 8));
    observe(compare_and_swap(&x, 7, 9));
    observe(x);
    observe(fetch_and_add(&wide, 2) + wide * 100);
    __asm__ volatile("lock; incl %0" : "+m"(x));
    __asm__ volatile("lock; decl %0; sete %1" : "+m"(x), "=qm"(is_zero));
    observe(x * 10 + is_zero);
    __asm__ volatile("lock; subl %2, %0; sete %1" : "+m"(x), "=qm"(is_zero) : "ir"(8));
    observe(x * 10 + is_zero);
    __asm__ volatile("movl %1, %%eax\n\taddl $3, %%eax\n\tmovl %%eax, %0"
                     : "=m"(copied) : "r"(hidden) : "eax");
    observe(copied);
    __asm__ volatile("lock; orl %1, %0" : "+m"(x) : "r"(6));
    __asm__ volatile("andl %[mask], %[object]" : [object] "+r"(x) : [mask] "r"(12));
    observe(x);
    __asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory", "cc");
    observe_end();
    return 0;
}
