// known gap: SUCCESSFUL
// What was read says whether there was an end or an error, which is not modelled.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int c = getchar();
    if (c == EOF)
        assert(feof(stdin) || ferror(stdin));
    return 0;
}
