// Both threads look at the other's flag before they raise their own.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

_Bool wants[2];
int inside;

void enter(int me)
{
    while (wants[1 - me])
        ;
    wants[me] = 1;
    inside++;
    assert(inside == 1);
    inside--;
    wants[me] = 0;
}

void *other(void *unused)
{
    enter(1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    enter(0);
}
