// covers: vla
#include <stdlib.h>
#include "observe.h"

static long sum(int rows, int columns, int matrix[rows][columns])
{
    long result = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            result = result * 10 + matrix[i][j];
    return result;
}

static void fill(int n, int m, char (*to)[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            (*to)[i][j] = (char)(i * m + j);
}

static long last(int n, const long values[static n], long (*rows)[n + 1])
{
    return values[n - 1] * 100 + rows[1][n];
}

int main(void)
{
    int n = 2, m = 3;
    int matrix[n][m], (*row)[m] = matrix;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            matrix[i][j] = i * m + j + 1;
    observe(sum(n, m, matrix));
    observe((*(row + 1))[1] + row[0][2] * 10);
    observe(sizeof matrix * 100 + sizeof matrix[0]);
    n = 5;
    observe(sizeof matrix + sizeof(short[n][2]));
    char mixed[2][n];
    fill(2, n, &mixed);
    observe(mixed[1][4] * 10 + mixed[0][4]);
    observe(sizeof mixed);
    int (*heap)[m] = malloc(2 * sizeof *heap);
    heap[1][2] = 7;
    heap[0][2] = 6;
    observe(((int(*)[m])heap)[1][2] + heap[0][2]);
    free(heap);
    long values[3] = {1, 2, 3}, rows[2][4] = {{0}, {1, 2, 3, 4}};
    observe(last(3, values, rows));
    for (int k = 1; k < 3; k++) {
        int row_of[k][2];
        row_of[k - 1][1] = k;
        observe(sizeof row_of * 10 + row_of[k - 1][1]);
    }
    observe_end();
    return 0;
}
