// precise: FAILED --threads 1
// The compiler may find the size or not.
int main(void) {
    char a[10], *p = a;
    __CPROVER_assert(__builtin_object_size(p, 0) == (unsigned long)-1, "it does not");
}
