// RUN: cd %d && sapa check --engine bounded -DUNWRITTEN no_pointer.c 2>&1 | tail -1
// RUN: cd %d && sapa check --engine bounded -DJOINED no_pointer.c 2>&1 | tail -1
// RUN: cd %d && sapa check --engine bounded -DTWO no_pointer.c 2>&1 | tail -1
// RUN: cd %d && sapa check --engine bounded -DEXTERNAL no_pointer.c 2>&1 | tail -1
// What does not look like a pointer to an object of the program: each assertion fails in some run, so there must be no proof.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef UNWRITTEN
// What nobody has written is any number, also as an index.
int main(void)
{
    int cells[3] = {0, 0, 0};
    int *number = malloc(sizeof(int));
    int index = *number;
    if (index >= 0 && index < 3) {
        cells[index] = 1;
        assert(cells[0] + cells[1] + cells[2] == 0);
    }
}
#elif defined JOINED
// The object whose size `realloc` asks for is that of another thread's result.
void *work(void *argument)
{
    int *result = malloc(sizeof(int));
    *result = 3;
    return result;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    result = realloc(result, 8);
    assert(0);
}
#elif defined TWO
// Two pointers in one number: each can be had from it by the other.
int nondet_int(void);
int first[2], second[2];
union { uintptr_t number; int *pointer; } both;

int main(void)
{
    int i = nondet_int(), j = nondet_int();
    if (i < 0 || i > 1 || j < 0 || j > 1)
        return 0;
    uintptr_t a = (uintptr_t)&first[i], b = (uintptr_t)&second[j];
    both.number = a ^ b;
    both.number = both.number ^ a;
    *both.pointer = 1;
    assert(second[0] == 0);
}
#else
// A thread that executes a function which is not defined here.
void *external(void *argument);

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, external, NULL);
    assert(0);
}
#endif
