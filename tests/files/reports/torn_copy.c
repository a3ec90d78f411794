// What one assignment copies is more than one step here, and one access or two to gcc.
// precise: FAILED
#include <assert.h>
#include <pthread.h>

struct pair {
    int a, b;
} shared;

void *other(void *argument)
{
    struct pair both = {1, 1};
    shared = both;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    struct pair seen = shared;
    assert(seen.a == seen.b);
    pthread_join(thread, 0);
}
