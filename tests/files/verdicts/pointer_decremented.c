// precise: FAILED --threads 1
extern long __VERIFIER_nondet_long(void);
int before[3], values[3];

int main(void) {
    long index = __VERIFIER_nondet_long();
    if (index < 1 || index > 2)
        return 0;
    int *place = &values[index];
    place--;
    *place = 5;
    __CPROVER_assert(values[1] != 5, "the middle");
}
