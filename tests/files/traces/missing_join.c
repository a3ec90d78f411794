// Only one of the threads is waited for before the result is read; it starts from a variable that
// was not given a value.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int part[2], ready;

void *first(void *unused)
{
    part[0] = 3;
    return 0;
}

void *second(void *unused)
{
    part[1] = 4;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int sum;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    if (part[0] == 3)
        sum += part[0] + part[1];
    assert(sum == 7);
}
