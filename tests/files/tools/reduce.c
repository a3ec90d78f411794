// A file shrinks while a command fails on it as at first: in the same way, or in one that is asked for.
// RUN: sapa-reduce %s -- sh -c 'grep -q "y += step" {} && grep -q main {} && exit 3' 2>/dev/null
// RUN: sapa-reduce %s --jobs 3 -- sh -c 'grep -q "y += step" {} && grep -q main {} && exit 3' 2>/dev/null
// RUN: sapa-reduce %s -o %t.c --prints 'assertion' -- sh -c 'grep -q "y += " $1 && echo an assertion fails >&2; exit 1' sh 2>&1; cat %t.c
// RUN: cd %d/reduced && sapa-reduce module.gir -- sh -c 'grep -q "mul i32" {} && grep -q "^}" {} && exit 2' 2>&1
// RUN: cd %d/reduced && sapa-reduce program.bp -- sh -c 'grep -q "begin" {} && grep -q "^ *end" {} && grep -q "assert(" {} && exit 2' 2>&1
// The best so far is kept when a signal ends it; here, that comes from the command, when it runs for the sixth time and later.
// RUN: sapa-reduce %s -o %t.c --exit-code 0 -- sh -c 'echo >>"$1"; [ $(wc -l <"$1") -lt 6 ] || kill -INT $PPID; grep -q main "$2"' sh %t.count {} 2>&1 | sed 's/^[0-9]* bytes.*/bytes/'; grep -c main %t.c; [ $(wc -c <%t.c) -lt 900 ] && echo smaller
// RUN: sapa-reduce %s -- true {} 2>&1; sapa-reduce %s --exit-code 7 -- sh -c 'echo said; exit 4' 2>&1; sapa-reduce %s -- no-such-command 2>&1; sapa-reduce %s --command-timeout 0.05 -- sh -c 'sleep 100' 2>&1; sapa-reduce none.c -- false 2>&1
// RUN: sapa-reduce %s -- sh -c 'exit 2' 2>&1; cd %d/reduced && sapa-reduce included.c -- sh -c 'cc -fsyntax-only {} && grep -q WORD {} && exit 3; exit 2' 2>&1
// RUN: sapa-reduce %s 2>&1
// EXIT: 1
#include <assert.h>
#define LIMIT(x) \
    (x)

int x, y;

static void work(int step, int other)
{
    if (step) {
        x = other; /* a comment */
        y += step;
    } else while (x)
        x--;
    assert(x < LIMIT(3));
}

int main(void)
{
    work(1, 2);
    return 0;
}
