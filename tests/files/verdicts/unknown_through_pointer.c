// precise: INCONCLUSIVE --threads 1
// Who is not known might write what it is told of.
extern void unknown(int *);

int main(void) {
    int x = 0;
    void (*function)(int *) = unknown;
    function(&x);
    __CPROVER_assert(x == 0, "nobody knows");
}
