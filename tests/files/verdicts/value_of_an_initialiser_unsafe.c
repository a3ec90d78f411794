// precise: FAILED --threads 0
// The value is computed, not forgotten.
int x = 3;

int main(void) {
    int y = x * 2 + 1;
    __CPROVER_assert(y != 7, "it is 7");
}
