// precise: FAILED --threads 0
// A local that nothing was stored to has any value.
int main(void) {
    int x;
    __CPROVER_assert(x != 42, "it may be 42");
}
