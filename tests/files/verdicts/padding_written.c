// precise: FAILED --threads 1
union {
    struct {
        char c;
        int i;
    } s;
    char bytes[8];
} u;

int main(void) {
    u.bytes[1] = 5;
    __CPROVER_assert(u.bytes[1] != 5, "padding of one member is the other's");
}
