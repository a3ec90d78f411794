// A reproducer is the program with what forces the run, and the values that the environment chose in it. Where there is none a line says why.
// RUN: sapa check -q %s --reproducer %t.c || grep -c 'int __VERIFIER_nondet_int(void);\|sapa_choose("input")\|{0, "input", (long long)7ULL}' %t.c
// RUN: sapa check -q %s --reproducer %t.none.c -DSAFE && ls %t.none.c 2> %t.out || sapa check -q %s --reproducer %t.none.c -DSAFE 2>&1 > %t.out | sed 's/.*none.c: //'
// RUN: sapa check -q %s --reproducer /proc/r.c 2>&1 | head -2
// RUN: ln -sf /dev/full %t.full.c; sapa check -q %s --reproducer %t.full.c 2>&1 | sed 's/write .*full.c/write FULL/'
// RUN: sapa check --all %s --reproducer %t.c 2>&1 | head -1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
int input(void);
void __VERIFIER_assume(int);

struct cell {
    int value;
    struct cell *next;
};

int chosen;

void *add(void *argument)
{
    struct cell *cell = argument;
    cell->value = cell->value + chosen;
    return 0;
}

int main(void)
{
    pthread_t t;
    struct cell *cell = calloc(1, sizeof *cell);
    chosen = __VERIFIER_nondet_int();
    __VERIFIER_assume(chosen == 5);
    int other = input();
#ifdef SAFE
    other = 0;
#endif
    pthread_create(&t, 0, add, cell);
    int before = cell->value;
    if (other == 7)
        cell->value = before + 1;
    pthread_join(t, 0);
    assert(cell->value == 5 || cell->value == 6);
}
