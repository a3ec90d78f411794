// precise: SUCCESSFUL --threads 0
// NOTE assuming that divisions and shifts are defined
// The run ends at the division, so that nothing comes after it.
int zero;

int main(void) {
    int quotient = 5 / zero;
    __CPROVER_assert(quotient == 0, "machines stop before");
}
