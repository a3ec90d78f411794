// check: assuming that no local is used after the block that declares it
// check: VERIFICATION SUCCESSFUL
// RUN: sapa check --property pointers %s
// What ends where a jump goes is not followed, which the verdict says.
int __VERIFIER_nondet_int(void);

int main(void)
{
    int *kept = 0;
    {
        int inner = 1;
        kept = &inner;
        if (__VERIFIER_nondet_int())
            goto out;
        *kept = 2;
    }
out:
    return 0;
}
