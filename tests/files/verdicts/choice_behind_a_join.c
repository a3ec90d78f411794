// precise: SUCCESSFUL --threads 0
// What strcmp returns of different texts is any number of a sign: a few stand for all of them, also
// where the number is one of several that a variable may have.
#include <assert.h>
#include <string.h>

int main(void) {
    char text[8] = "ab";
    int order = strcmp(text, "ac");
    strcat(text, "c");
    if (order > 0)
        order = strcmp(text, "abd");
    assert(order < 0 && !strcmp(text, "abc") && strcmp(text, "ab") > 0);
}
