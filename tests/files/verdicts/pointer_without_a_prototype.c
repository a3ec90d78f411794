// precise: SUCCESSFUL --threads 1
int x;
void set(int *to) { *to = 1; }

int main(void) {
    void (*function)() = set;
    function(&x);
    __CPROVER_assert(x == 1, "it was set");
}
