// covers: verifier-functions
// expect: failed
// threads: 0

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);
extern void reach_error(void);
void assume_abort_if_not(int condition)
{
    if (!condition)
        abort();
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x >= 0);
    if (x == 1 && __VERIFIER_nondet_bool())
        reach_error();
    return 0;
}
