// covers: asm
// error: the assembly 'hlt' is not supported

int main(void)
{
    __asm__ volatile("hlt");
    return 0;
}
