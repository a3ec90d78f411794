// Columns behind a macro of the user's are those of what it stands for: the whole line is shown, and never another statement of it.
// RUN: sapa check %s
// EXIT: 10
#include <assert.h>
#define LONGER_THAN_A_STATEMENT(x) (x)
#define A 1000000000

int x, y;

int main(void)
{
    x = A; y = A; x = 2; y = 3;
    x = 4; y = 5;
    assert(LONGER_THAN_A_STATEMENT(x) != 4);
}
