// precise: FAILED --threads 1
// A null pointer that is stored across two others leaves parts of both.
_Alignas(256) int buffer[4];
int *pointers[2];

int main(void) {
    pointers[0] = &buffer[1];
    pointers[1] = &buffer[2];
    *(int **)((char *)pointers + 1) = 0;
    if (pointers[1] == &buffer[0]) {
        *pointers[1] = 5;
        __CPROVER_assert(buffer[0] == 0, "it is the first element");
    }
}
