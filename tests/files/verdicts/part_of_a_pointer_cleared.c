// precise: FAILED --threads 1
int values[64] __attribute__((aligned(65536))) = {0, 1};
union {
    int *pointer;
    unsigned short tag;
} u;

int main(void) {
    u.pointer = &values[1];
    u.tag = 0;
    __CPROVER_assert(*u.pointer == 1, "it points to another element");
}
