// precise: FAILED --threads 2
// The place holds another handle when it is joined by, through a pointer; and a store in between that
// may be there or elsewhere makes another unknown.
#include <assert.h>
#include <pthread.h>

int nondet_int(void);
int x;
pthread_t handles[100];

void *slow(void *argument)
{
    x = 1;
    return 0;
}

void *other(void *argument)
{
    return 0;
}

int main(void)
{
    pthread_create(&handles[3], 0, slow, 0);
    pthread_t *where = &handles[nondet_int() ? 3 : 4];
    pthread_create(where, 0, other, 0);
    pthread_join(handles[3], 0);
    assert(x == 1);
    return 0;
}
