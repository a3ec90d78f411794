// A page shows the files that the program was read from, and none that it only names; no file that a run makes replaces a header.
// RUN: cd %d && sapa check -q claimed_files.c --report %t.html > %t.out; grep -c 'of the h[e]ader' %t.html; grep -c 'nobody has to s[e]e' %t.html; tail -1 %t.out
// RUN: cd %d && sapa check -q - --report %t.html < claimed_files.c > %t.out; grep -c 'of the h[e]ader' %t.html; grep -c 'nobody has to s[e]e' %t.html
// RUN: cp %d/claimed/header.h %t.h; echo '#include "'%t.h'"' > %t.c; sed 's/^#include "claimed.*//' %s >> %t.c; sapa check -q %t.c --output sarif=%t.h 2>&1 | sed 's/replace .*which/replace it, which/'; cmp %d/claimed/header.h %t.h && echo whole
// EXIT: 0
#include <assert.h>
#include "claimed/header.h"

int x;

int main(void)
{
    x = twice(x + 1);
    assert(x == 2);
#line 1 "claimed/other.c"
    assert(x == 3);
}
