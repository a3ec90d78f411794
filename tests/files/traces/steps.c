// With one step a statement, a row is a statement still.
// RUN: sapa check %s --threads 2 --atomicity statement
// EXIT: 10
#include <assert.h>
#include <pthread.h>

struct pair { int a, b; };
struct pair pairs[2] = {{1, 1}, {-2, -2}};

void *swap(void *argument)
{
    struct pair *pair = argument;
    struct pair kept = pairs[0];
    pairs[0] = *pair;
    *pair = kept;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(threads + i, 0, swap, &pairs[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(pairs[0].a == 1 && pairs[0].b == 1 && pairs[1].a == -2);
}
