// precise: SUCCESSFUL
// Of two attributes the last counts, as GCC has it; and of two sizes it evaluates the last first.
#include <assert.h>

static int first, second, sizes;

static void one(int *value)
{
    first += *value;
}

static void two(int *value)
{
    second += *value;
}

static int size(void)
{
    return ++sizes;
}

int main(void)
{
    {
        int value __attribute__((cleanup(one))) __attribute__((cleanup(two))) = 1;
    }
    assert(first == 0 && second == 1);
    char table[size()][size()];
    assert(sizeof table[0] == 1 && sizeof table == 2);
    return 0;
}
