// Two threads add without a lock: one of the additions is lost.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>

int counter;

void *add(void *unused)
{
    int seen = counter;
    counter = seen + 1;
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, add, 0);
    pthread_create(&second, 0, add, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(counter == 2);
}
