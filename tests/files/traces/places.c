// Rows name the statement, not the line, also behind macros and over several lines.
// RUN: sapa check - --threads 0 < %s
// EXIT: 10
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

int __VERIFIER_nondet_int(void);

atomic_int first; int second; bool third;
#define SET(variable, value) variable = (value)

int main(void)
{
    if (atomic_load(&first) == 0) second = 1; else second = 2;
    SET(second, 3);
    SET(third, true);
    second = __VERIFIER_nondet_int()
        + 7; /* over two lines */
    switch (second) { case 9: third = false; break; default: third = true; }
    int unset, set = 2;
    if (set == 2 && third) second = unset;
    assert(atomic_load(&first) != 0 || second == unset + 1);
}
