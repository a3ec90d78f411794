// The game of life on 5 by 5 cells: two threads compute the rows of the next generation, main turns a blinker twice.
//
// Safe: the next generation is written to another board, so each cell sees the old ones; a blinker has period 2.
// Broken: a living cell with four neighbours survives as well, and so does one with one: the blinker grows.
#include <assert.h>
#include <pthread.h>
#include <string.h>

#define SIZE 5

static int old_board[SIZE][SIZE], new_board[SIZE][SIZE];

static int neighbours(int row, int column)
{
    int count = 0;
    for (int r = row - 1; r <= row + 1; r++)
        for (int c = column - 1; c <= column + 1; c++)
            count += old_board[r][c];
    return count - old_board[row][column];
}

static void *generate(void *arg)
{
    const int *rows = arg;
    for (int r = rows[0]; r < rows[1]; r++)
        for (int c = 1; c < SIZE - 1; c++) {
            int n = neighbours(r, c);
#ifdef BROKEN
            new_board[r][c] = n == 3 || (old_board[r][c] && n > 0);
#else
            new_board[r][c] = n == 3 || (old_board[r][c] && n == 2);
#endif
        }
    return NULL;
}

int main(void)
{
    int upper[2] = { 1, 2 }, lower[2] = { 2, SIZE - 1 };
    old_board[2][1] = old_board[2][2] = old_board[2][3] = 1;
    for (int generation = 0; generation < 2; generation++) {
        pthread_t a, b;
        pthread_create(&a, NULL, generate, upper);
        pthread_create(&b, NULL, generate, lower);
        pthread_join(a, NULL);
        pthread_join(b, NULL);
        memcpy(old_board, new_board, sizeof old_board);
    }
    for (int r = 1; r < SIZE - 1; r++)
        for (int c = 1; c < SIZE - 1; c++)
            assert(old_board[r][c] == (r == 2));
    return 0;
}
