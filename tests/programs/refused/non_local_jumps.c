// covers: non-local-jumps
// error: non-local jumps are not supported
#include <setjmp.h>

jmp_buf b;

int main(void)
{
    if (setjmp(b))
        return 1;
    longjmp(b, 1);
}
