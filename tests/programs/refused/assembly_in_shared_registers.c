// covers: asm
// error: it comes after an output was written, which may be where inputs and addresses were

/* What the output holds is changed before the input is read, which GCC puts into the same register. */
int main(void)
{
    int x = 5, y;
    asm volatile("incl %0\n\tmovl %2, %1" : "+r"(x), "=&r"(y) : "r"(x));
    return y;
}
