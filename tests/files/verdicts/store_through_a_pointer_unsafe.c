// precise: FAILED --threads 0
// The store is seen under the object's own name.
int target;

int main(void) {
    int *pointer = &target;
    *pointer = 4;
    __CPROVER_assert(target == 5, "it is 4");
}
