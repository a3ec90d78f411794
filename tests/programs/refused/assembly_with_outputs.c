// covers: asm
// error: the assembly 'lock incl %0' is not supported

int main(void)
{
    int x = 1;
    __asm__("lock; incl %0" : "+r"(x));
    return x;
}
