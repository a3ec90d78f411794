// precise: SUCCESSFUL --threads 0
// What is read may be anything, but only as much as is asked for.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    int c = getchar(), number = 7;
    assert(c >= EOF && c < 256);
    int found = scanf("%2d", &number);
    assert(found == EOF || found == 0 || found == 1);
    assert(found == 1 || number == 7);
    assert(number > -10 && number < 100);
    char text[3] = "ab", behind = 'x';
    long count = read(0, text, 2);
    assert(count >= -1 && count <= 2 && text[2] == 0);
    assert(count > 0 || text[0] == 'a');
    char line[3];
    if (fgets(line, sizeof line, stdin))
        assert(strlen(line) < 3);
    assert(behind == 'x');
}
