// precise: FAILED
// A zero is no space: a word that is read may begin with one.
#include <assert.h>
#include <stdio.h>

int main(void)
{
    char word[5];
    if (scanf("%4s", word) == 1)
        assert(word[0] != 0);
    return 0;
}
