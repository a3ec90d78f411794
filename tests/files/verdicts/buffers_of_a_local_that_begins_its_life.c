// precise: SUCCESSFUL/SUCCESSFUL/FAILED
// Under PSO a local's first contents, which are any, may reach memory behind its address.
#include <assert.h>
#include <pthread.h>

int *shared;

void *first(void *arg)
{
    int local;
    shared = &local;
    while (1) {
    }
    return 0;
}

void *second(void *arg)
{
    int *p = shared;
    if (p) {
        int a = *p, b = *p;
        assert(a == b);
    }
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    return 0;
}
