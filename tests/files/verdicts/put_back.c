// known gap: SUCCESSFUL
// That a character which was put back is read next is not modelled, so that no failure rests on it.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int first = getchar();
    if (first != EOF && ungetc(first, stdin) == first)
        assert(getchar() == first);
    return 0;
}
