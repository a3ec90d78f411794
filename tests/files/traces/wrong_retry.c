// After a failed exchange the value is stored all the same, over a higher one.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int highest;

void raise_to(int value)
{
    int old = highest;
    if (old < value && !__sync_bool_compare_and_swap(&highest, old, value))
        highest = value;
}

void *other(void *unused)
{
    raise_to(5);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    raise_to(1);
    pthread_join(thread, 0);
    assert(highest == 5);
}
