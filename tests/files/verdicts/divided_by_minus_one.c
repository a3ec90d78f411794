// SUCCESSFUL threads=0
// NOTE assuming that divisions and shifts are defined
// The least number divided by -1 is undefined in C; here it wraps.
int main(void) {
    int x = __VERIFIER_nondet_int();
    __CPROVER_assert(x / -1 == -x, "the quotient");
}
