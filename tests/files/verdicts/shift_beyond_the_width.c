// SUCCESSFUL threads=0
// NOTE assuming that divisions and shifts are defined
int width = 32;

int main(void) {
    __CPROVER_assert((1 << width) == 0, "machines differ");
}
