// precise: SUCCESSFUL --threads 0
// NOTE assuming that each string literal is an object of its own
int main(void) {
    const char *a = "equal", *b = "equal";
    __CPROVER_assert(a != b, "a compiler may make them one");
}
