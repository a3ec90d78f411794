// A table of four integers from calloc, of which two threads fill two places each.
//
// Safe: calloc clears the table, and each thread adds to its own half: 1, 2, 3, 4.
// Broken: both threads get the first half, so the second half stays as it was.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *fill(void *arg)
{
    int *half = arg;
    half[0] += 1;
    half[1] += 2;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int *table = calloc(4, sizeof *table);
    if (table == NULL)
        return 1;
    table[2] = 2;
    table[3] = 2;
    pthread_create(&a, NULL, fill, table);
#ifdef BROKEN
    pthread_join(a, NULL);
    pthread_create(&b, NULL, fill, table);
#else
    pthread_create(&b, NULL, fill, table + 2);
    pthread_join(a, NULL);
#endif
    pthread_join(b, NULL);
    for (int i = 0; i < 4; i++)
        assert(table[i] == i + 1);
    free(table);
    return 0;
}
