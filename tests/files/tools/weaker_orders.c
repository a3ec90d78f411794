// Orders are read as the memory model says, which is chosen when a program is checked: the module
// keeps them and has no note; the verdict says that they are read as stronger ones.
// RUN: sapa-cc %s | grep -c note || true
// RUN: sapa check --threads 1 %s | tail -2
// RUN: sapa-cc %s | sapa check --threads 1 - | tail -2
// RUN: sed 's/RELAXED/SEQ_CST/' %s > %t.c; sapa check --threads 1 %t.c | tail -2
int x;
int main(void) {
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    __CPROVER_assert(x == 1, "stored");
}
