// precise: FAILED --threads 0
// A weak exchange may fail though the value is the expected one.
int x;

int main(void) {
    int expected = 0;
    __CPROVER_assert(__atomic_compare_exchange_n(&x, &expected, 1, 1, 5, 5), "it may fail");
}
