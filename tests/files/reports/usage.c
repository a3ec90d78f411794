// What a report cannot be written to is said before the run; what only shows when it is written loses no verdict.
// RUN: sapa check --report a.pdf %s || echo "exit $?"
// RUN: sapa check --report a %s || echo "exit $?"
// RUN: sapa check --report %t/a.svg %s 2>&1 | grep -o 'there is no directory'
// RUN: mkdir -p %t.svg && sapa check --report %t.svg %s 2>&1 | grep -o 'it is a directory; name a file'
// RUN: sapa check --reproducer a.txt %s 2>&1 | grep -o "its name ends in '.c'"; sapa check --reproducer %t/a.c %s 2>&1 | grep -o 'there is no directory'
// RUN: ln -sf /dev/full %t.full.svg && sapa check --report %t.full.svg %s || echo "exit $?"
// RUN: sapa check --report /proc/a.svg %s 2>&1 | grep -c 'cannot write'
// RUN: sapa check --lanes -q %s 2>&1 | head -1
// RUN: sapa check --report %t.2.svg %s && grep -c 'VERIFICATION SUCCESSFUL</text>' %t.2.svg
// No product replaces what is read, or another product, whatever path leads to it.
// RUN: cp %s %t.in.c; mkdir -p %t.d; ln -sf ../t.in.c %t.d/l.c; cd %t.d && for o in "--reproducer ../t.in.c" "--output junit=l.c" "--certificate ./l.c" "--report b.txt --output json=../t.d/b.txt" "--output a.sarif --output ./a.sarif"; do sapa check %t.in.c $o 2>&1 | sed 's|/[^ ]*/t|t|g'; done; cmp %s %t.in.c && ls
// RUN: cp %s %t.s.c; cd %t.d && sapa check %s --stubs %t.s.c --certificate %t.s.c 2>&1 | sed 's|/[^ ]*/t|t|'; sapa check %s --certificate nodir/x 2>&1; sapa check %s --certificate /dev/full 2>&1 | tail -2
#include <assert.h>

int x;

int main(void)
{
    x = 1;
    assert(x);
}
