// Three threads compute a row each of the product of two matrices of 3 by 3.
//
// Safe: each thread writes its own row; the product with the matrix that doubles is twice the other one.
// Broken: all threads get the address of the same number; one that starts late reads a later thread's, and its row is missing.
#include <assert.h>
#include <pthread.h>

#define N 3

static const int a[N][N] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
static const int b[N][N] = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 0, 2 } };
static int c[N][N];

static void *row(void *arg)
{
    int i = *(int *)arg;
    for (int j = 0; j < N; j++) {
        int sum = 0;
        for (int k = 0; k < N; k++)
            sum += a[i][k] * b[k][j];
        c[i][j] = sum;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int rows[N];
    for (int i = 0; i < N; i++) {
#ifdef BROKEN
        int *number = &rows[0];
#else
        int *number = &rows[i];
#endif
        *number = i;
        pthread_create(&threads[i], NULL, row, number);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert(c[i][j] == 2 * a[i][j]);
    return 0;
}
