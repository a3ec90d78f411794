// precise: FAILED --threads 1
// What a function of the verifier is passed is what its parameter holds of it.
void __VERIFIER_assert(int);

int main(void) {
    __VERIFIER_assert(0x100000000L);
}
