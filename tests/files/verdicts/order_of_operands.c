// precise: SUCCESSFUL --threads 0
// NOTE assuming that operands are evaluated from left to right
// C leaves the order open: compiled, this may fail.
int x = 1;

int change(void) {
    x = 2;
    return 0;
}

int main(void) {
    int sum = x + change();
    __CPROVER_assert(sum == 1, "the variable is read first");
}
