// precise: SUCCESSFUL --threads 0
// NOTE assuming one layout of memory: the program computes with addresses
int main(void) {
    int a, b;
    __CPROVER_assert(&a + 1 != &b, "one may lie behind the other");
}
