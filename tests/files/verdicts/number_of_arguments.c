// precise: SUCCESSFUL --threads 1
// C11 5.1.2.2.1: the number of arguments is not negative.
int main(int argc, char **argv) {
    __CPROVER_assert(argc >= 0, "argc");
}
