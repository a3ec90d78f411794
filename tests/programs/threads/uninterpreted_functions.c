// covers: uninterpreted
// expect: successful
// threads: 1
#include <assert.h>
#include <pthread.h>

int __CPROVER_uninterpreted_f(int);

int from_thread;

void *ask(void *unused)
{
    from_thread = __CPROVER_uninterpreted_f(7);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, ask, 0);
    int here = __CPROVER_uninterpreted_f(7);
    pthread_join(t, 0);
    assert(here == from_thread);
}
