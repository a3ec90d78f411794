// Rows of ten, and the number of cells.
//
// Safe: behind each row there are ten cells more. -DANY: any number of threads with any number of rows.
// Broken: the row that begins with cell 30 has one less.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *fill(void *unused)
{
    unsigned cells = 0;
#ifdef ANY
    unsigned rows = __VERIFIER_nondet_int();
#else
    unsigned rows = 12;
#endif
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < 10; column++) {
            assert(cells == 10 * row + column);
#ifdef BROKEN
            if (row == 3 && column == 9)
                continue;
#endif
            cells++;
        }
    }
    assert(cells == 10 * rows);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, fill, 0);
    fill(0);
    return 0;
}
