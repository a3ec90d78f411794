// precise: FAILED --threads 1
// Bytes, so that the address is base + index - 1: not in the object before.
extern long __VERIFIER_nondet_long(void);
char before[3], values[3];

int main(void) {
    long index = __VERIFIER_nondet_long();
    if (index < 1 || index > 3)
        return 0;
    values[index - 1] = 5;
    __CPROVER_assert(values[1] != 5, "the middle");
}
