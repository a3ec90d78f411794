// precise: FAILED --threads 0
// Where nothing is converted, the object keeps its value.
#include <assert.h>
#include <stdio.h>

int main(void) {
    int number = 7;
    if (scanf("%d", &number) >= 0)
        assert(number != 7);
}
