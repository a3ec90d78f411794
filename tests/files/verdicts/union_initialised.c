// precise: FAILED --threads 1
union {
    int whole;
    char parts[4];
} u = {.parts = {1, 2, 3, 4}};

int main(void) { __CPROVER_assert(u.whole == 1, "all parts count"); }
