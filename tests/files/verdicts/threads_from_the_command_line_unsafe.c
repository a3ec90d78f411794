// precise: FAILED
// Neither the abstraction nor the unfolding treats all of it: arrays of a size that is not known, and a
// pointer from outside. Runs without arguments do nothing of that but make the arrays, and one fails.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int setters = 1, checkers = 1, a, b;

void *set(void *argument)
{
    a = 1;
    b = -1;
    return NULL;
}

void *check(void *argument)
{
    assert(a + b == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        sscanf(argv[1], "%d", &setters);
        sscanf(argv[2], "%d", &checkers);
    } else if (argc != 1) {
        exit(1);
    }
    pthread_t setting[setters], checking[checkers];
    for (int i = 0; i < setters; i++)
        pthread_create(&setting[i], NULL, set, NULL);
    for (int i = 0; i < checkers; i++)
        pthread_create(&checking[i], NULL, check, NULL);
    for (int i = 0; i < setters; i++)
        pthread_join(setting[i], NULL);
    for (int i = 0; i < checkers; i++)
        pthread_join(checking[i], NULL);
    return 0;
}
