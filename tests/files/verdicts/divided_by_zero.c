// FAILED threads=0
// NOTE assuming that divisions and shifts are defined
int zero;

int main(void) {
    int quotient = 5 / zero;
    __CPROVER_assert(quotient == 0, "machines stop before");
}
