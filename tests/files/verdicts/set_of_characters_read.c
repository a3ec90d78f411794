// precise: SUCCESSFUL
// precise: FAILED --property bounds -DWIDE
// A set of characters is read up to the first that is none of it, or up to the width.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char key[4];
    int value = 0, read = 0;
#ifdef WIDE
    scanf("%4[a-z]", key);
#else
    assert(sscanf("key=77", "%3[a-z]=%d%n", key, &value, &read) == 2);
    assert(strcmp(key, "key") == 0 && value == 77 && read == 6);
    if (scanf("%3[0-9]", key) == 1)
        assert(key[0] >= '0' && key[0] <= '9');
#endif
}
