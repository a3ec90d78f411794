// precise: SUCCESSFUL --threads 1
// A compare-exchange that succeeds does not write the expected value.
int x = 3;

int main(void) {
    _Bool done = __atomic_compare_exchange_n(&x, &x, 5, 0, 5, 5);
    __CPROVER_assert(done && x == 5, "the new value stays");
}
