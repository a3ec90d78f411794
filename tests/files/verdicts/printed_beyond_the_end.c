// precise: SUCCESSFUL --threads 0
// What has no room in the array is not printed, and the result says how long the text would be.
#include <assert.h>
#include <stdio.h>

int main(void) {
    char text[5], behind = 'x';
    int length = snprintf(text, sizeof text, "%s-%u", "long", 7u);
    assert(length == 6 && text[3] == 'g' && !text[4] && behind == 'x');
}
