// precise: SUCCESSFUL --threads 1
// What a function of the verifier is passed is what its parameter holds of it.
void assume_abort_if_not(int);

int main(void) {
    long large = 0x100000000L;
    assume_abort_if_not(large);
    __CPROVER_assert(0, "this is not reached");
}
