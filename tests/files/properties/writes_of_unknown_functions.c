// precise: SUCCESSFUL --property pointers --unknown-functions havoc
// What an unknown function writes is a guess, which is right where it is an object.
#include <stdlib.h>
void unknown(int *number);
int number;

int main(void) {
    int *object = malloc(4);
    *object = 0;
    unknown(&number);
    free(object);
    return 0;
}
