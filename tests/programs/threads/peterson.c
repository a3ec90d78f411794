// covers: volatile
// expect: successful
// threads: 2
#include <assert.h>
#include <pthread.h>

volatile int want[2], turn;
int inside;

void *worker(void *arg)
{
    int me = (long)arg, other = 1 - me;
    want[me] = 1;
    turn = other;
    while (want[other] && turn == other)
        ;
    assert(inside == 0);
    inside = 1;
    inside = 0;
    want[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    return 0;
}
