// covers: verifier-functions
// expect: failed
// threads: 2
void __CPROVER_assert(int, const char *);

int x;

void worker(int n)
{
    int l = x;
    x = l + n;
}

int main(void)
{
    __CPROVER_ASYNC_1: worker(1);
    __CPROVER_ASYNC_2: worker(2);
    __CPROVER_assert(x != 1, "x is not 1");
    return 0;
}
