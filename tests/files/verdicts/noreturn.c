// precise: SUCCESSFUL --threads 1
// A function that is declared not to return ends the program, also where it has no body.
void die(void) __attribute__((noreturn));
_Noreturn int stop(int);
_Bool __VERIFIER_nondet_bool(void);

int main(void) {
    int x = __VERIFIER_nondet_bool();
    int y = __VERIFIER_nondet_bool();
    if (x)
        die();
    if (y)
        x = stop(1);
    __CPROVER_assert(x == 0 && y == 0, "the rest runs if neither is");
}
