// precise: FAILED --threads 1 --predicates %d/predicate_names_more_than_it_reads.predicates
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
