// FAILED threads=1 predicates=g==1+adder::local*0
int g;

void adder(void) {
    int local = 0;
    if (g == 1)
        local = 5;
    __CPROVER_assert(local != 5, "main writes g");
}

int main(void) {
    __CPROVER_ASYNC_1: adder();
    g = 1;
}
