// precise: FAILED --threads 1
// The zero covers all but the last byte of the pointer, which then points elsewhere.
_Alignas(256) int buffer[4];
struct {
    char before[7];
    int *pointer;
    char after;
} __attribute__((packed)) s;

int main(void) {
    s.pointer = &buffer[1];
    *(long *)&s = 0;
    if (s.pointer == &buffer[0]) {
        *s.pointer = 5;
        __CPROVER_assert(buffer[0] == 0, "it is the first element");
    }
}
