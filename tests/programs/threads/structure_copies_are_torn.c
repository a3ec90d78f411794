// covers: struct-values
// expect: failed
// threads: 1
#include <assert.h>
#include <pthread.h>

struct pair { int x, y; } shared;

void *worker(void *arg)
{
    struct pair mine = { 1, 1 };
    shared = mine;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    struct pair seen = shared;
    assert(seen.x == seen.y); /* Another thread may write between the members. */
    return 0;
}
