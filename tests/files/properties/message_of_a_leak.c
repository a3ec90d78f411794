// EXIT: 10
// check: heap#2, which thread 1 has allocated at
// check: is not freed, fails
// check: VERIFICATION FAILED
// RUN: sapa check --property leaks %s
// It is said which object is not freed, and where it comes from.
#include <pthread.h>
#include <stdlib.h>

static int *table[2];

static void *fill(void *at)
{
    int **slot = at;
    *slot = malloc(sizeof **slot);
    return 0;
}

int main(void)
{
    pthread_t thread;
    fill(&table[0]);
    pthread_create(&thread, 0, fill, &table[1]);
    pthread_join(thread, 0);
    free(table[0]);
    return 0;
}
