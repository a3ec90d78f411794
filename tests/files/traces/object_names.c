// What is freed is the whole object; a pointer into a string has its offset.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <stdlib.h>

const char *text;
int *cells, x;

int main(void)
{
    cells = malloc(3 * sizeof *cells);
    cells[2] = 3;
    x = cells[2];
    free(cells);
    text = "hello";
    text = text + 1;
    assert(x != 3 || *text != 'e');
}
