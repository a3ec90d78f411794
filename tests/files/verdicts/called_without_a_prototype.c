// precise: FAILED --threads 1
int x;
void set(int to) { x = to; }
void (*functions[1])() = {set};

int main(void) {
    functions[0](1);
    __CPROVER_assert(x == 0, "it was called");
}
