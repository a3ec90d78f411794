// covers: asm
// error: assembly with outputs or labels is not supported

int main(void)
{
    int x;
    __asm__("movl $1, %0" : "=r"(x));
    return x;
}
