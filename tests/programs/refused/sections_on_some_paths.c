// covers: verifier-functions
// error: an atomic section is opened or closed on some paths only

void __VERIFIER_atomic_begin(void);
int x;

int main(void)
{
    if (x)
        __VERIFIER_atomic_begin();
    x = 1;
}
