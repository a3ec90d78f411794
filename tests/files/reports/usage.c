// What a report cannot be written to is said before the run; what only shows when it is written loses no verdict.
// RUN: sapa check --report a.pdf %s || echo "exit $?"
// RUN: sapa check --report a %s || echo "exit $?"
// RUN: sapa check --report %t/a.svg %s 2>&1 | grep -o 'there is no directory'
// RUN: mkdir -p %t.svg && sapa check --report %t.svg %s 2>&1 | grep -o 'it is a directory; name a file'
// RUN: sapa check --reproducer a.txt %s 2>&1 | grep -o "its name ends in '.c'"; sapa check --reproducer %t/a.c %s 2>&1 | grep -o 'there is no directory'
// RUN: ln -sf /dev/full %t.full.svg && sapa check --report %t.full.svg %s || echo "exit $?"
// RUN: sapa check --report /proc/a.svg %s 2>&1 | grep -c 'invalid value'
// RUN: sapa check --lanes -q %s 2>&1 | head -1
// RUN: sapa check --report %t.2.svg %s && grep -c 'VERIFICATION SUCCESSFUL</text>' %t.2.svg
#include <assert.h>

int x;

int main(void)
{
    x = 1;
    assert(x);
}
