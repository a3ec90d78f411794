// known gap: SUCCESSFUL --threads 0
// More is asked than is remembered of a function that is not interpreted.
int __CPROVER_uninterpreted_f(int);

int main(void) {
    int first = __CPROVER_uninterpreted_f(0);
    int ninth = 0;
    for (int i = 1; i <= 8; i++)
        ninth = __CPROVER_uninterpreted_f(i);
    __CPROVER_assert(ninth == __CPROVER_uninterpreted_f(8), "as before");
}
