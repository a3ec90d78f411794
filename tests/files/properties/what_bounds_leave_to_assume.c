// RUN: cd %d && sapa check --property bounds what_bounds_leave_to_assume.c
// RUN: cd %d && sapa check --property bounds,pointers what_bounds_leave_to_assume.c
// RUN: cd %d && sapa check --all --property bounds what_bounds_leave_to_assume.c
// RUN: cd %d && sapa check --all --property bounds,pointers what_bounds_leave_to_assume.c
// `bounds` alone leaves it open whether pointers are null. With `pointers` nothing is asserted twice.
int table[4];

static void fill(int *first, int *end) {
    for (int i = 0; first + i != end; i++)
        first[i] = table[i];
}

int main(void) {
    fill(table, table + 4);
    return 0;
}
