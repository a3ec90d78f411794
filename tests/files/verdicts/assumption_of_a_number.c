// SUCCESSFUL threads=1
// What a function of the verifier is passed is what its parameter holds of it.
void assume_abort_if_not(int);
void assert(int);

int main(void) {
    double half = 0.5;
    assume_abort_if_not(half);
    assert(0);
}
