// precise: FAILED --timeout 60
// Each of 250 threads takes 1 away from the one or from the other: what both are together says nothing of their difference. (The
// failing run has 150 threads.)
#include <assert.h>
#include <pthread.h>

short first, second;

void *worker(void *unused)
{
    __CPROVER_atomic_begin();
    if (first < second)
        first--;
    else
        second--;
    __CPROVER_atomic_end();
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 250; i++)
        pthread_create(&thread, NULL, worker, NULL);
    assert(second > -100);
}
