// precise: FAILED --threads 1
extern int __VERIFIER_nondet_int(void);
char other[3], second[3], first[3], *place;

int main(void) {
    place = __VERIFIER_nondet_int() ? second + 1 : second + 2;
    first[place - second] = 5;
    __CPROVER_assert(first[1] != 5, "the middle");
}
