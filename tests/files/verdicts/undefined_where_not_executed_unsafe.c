// precise: FAILED --threads 0
// NOTE assuming that divisions and shifts are defined
// What is not executed ends nothing: the other operand of `?:`, `&&` and `||`, and what comes later.
int main(void) {
    int x = __VERIFIER_nondet_int(), by = __VERIFIER_nondet_int();
    int quotient = by != 0 && by != -1 ? x / by : 7;
    int is_large = by > 0 && x / by > 100;
    int is_small = by <= 0 || by > 31 || 1 << by < 100;
    __CPROVER_assume(by == 0);
    __CPROVER_assert(quotient != 7 || is_large || !is_small, "with a divisor that is zero");
    int never = x / by;
}
