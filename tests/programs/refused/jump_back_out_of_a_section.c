// covers: goto
// error: the function returns inside an atomic section
void __VERIFIER_atomic_begin(void);
int x;

int main(void)
{
    goto start;
back:
    x++;
    return 0;
start:
    __VERIFIER_atomic_begin();
    goto back;
}
