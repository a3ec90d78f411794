// What an unknown function does is refused, or assumed by the user.
// RUN: sapa-cc %s 2>&1 >/dev/null | head -1
// RUN: sapa-cc %s --unknown-functions havoc 2>/dev/null | grep -c 'keeps no pointer'
// RUN: sapa-cc %s --unknown-functions havoc -DCALLBACK 2>&1 >/dev/null | head -1
// RUN: sapa-cc %s --unknown-functions havoc | sapa check - --unknown-functions havoc 2>&1
// EXIT: 1
// check: takes a pointer; give its source, or --unknown-functions havoc or pure
// check: 1
// check: takes a function, which it may call
// check: --unknown-functions is a matter of the C frontend
int fill(int *to);
int sort(int *items, int (*order)(int, int));

static int order(int a, int b) { return a - b; }

int main(void) {
    int x = 0;
#ifdef CALLBACK
    sort(&x, order);
#endif
    return fill(&x);
}
