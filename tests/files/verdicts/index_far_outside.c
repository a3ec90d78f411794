// known gap: SUCCESSFUL --threads 1 --timeout 5
// No index leads from one object to another.
extern int __VERIFIER_nondet_int(void);
int first[2], second[2];

int main(void) {
    int *place = __VERIFIER_nondet_int() ? first : second;
    place[__VERIFIER_nondet_int()] = 5;
    int *other = place == first ? second : first;
    __CPROVER_assert(other[0] == 0, "untouched");
}
