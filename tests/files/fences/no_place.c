// There is no patch where no statement can be added: in the head of a loop, and between two stores of one statement, of
// which either would do. Nor is there one for a module, or for the standard input.
// RUN: cd %d && sapa fences --mm tso no_place.c --patch %t; test ! -e %t
// RUN: cd %d && sapa-cc no_place.c -o - | sapa fences --mm tso -q -
// RUN: cd %d && sapa-cc no_place.c -o - | sapa fences --mm tso - | grep 'no patch'
#include <assert.h>
#include <pthread.h>

int x, y, z, a, b;

void *first(void *arg)
{
    for (int i = 0; i < 1; x++, i++) {
    }
    a = y;
    return 0;
}

void *second(void *arg)
{
    z = y = 1;
    b = x;
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(a == 1 || b == 1);
    return 0;
}
