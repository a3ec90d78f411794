// RUN: cd %d && sapa check --engine bounded thread_local.c 2>&1 | tail -1
// RUN: cd %d && sapa check --engine bounded -DOWN thread_local.c 2>&1 | tail -1
// Each thread has an object of its own of what is local to threads. Who has the address of another thread's writes to that one,
// also where the failing run is executed by the interpreter.
#include <assert.h>
#include <pthread.h>

__thread int own;
int *address;

void *work(void *argument)
{
    own = 3;
#ifdef OWN
    address = &own;
#endif
    *address = 5;
    assert(own == 3 || address == &own);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    address = &own;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(own == 0);
}
