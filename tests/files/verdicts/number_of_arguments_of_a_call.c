// precise: FAILED --threads 1
// What is known of the arguments of the program is not known of calls of `main`.
int (*volatile again)(int);
int main(int argc) {
    again = main;
    __CPROVER_assert(argc >= 0, "argc");
}
