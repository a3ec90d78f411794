// precise: FAILED --threads 1
union {
    struct {
        char c;
        int i;
    } __attribute__((packed)) packed;
    int words[2];
} u;
int at;

int main(void) {
    at = 1;
    u.words[at] = -1;
    __CPROVER_assert(u.packed.i == 0, "its last byte is written");
}
