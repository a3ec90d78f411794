// precise: SUCCESSFUL --engine bounded
// precise: SUCCESSFUL
// precise: SUCCESSFUL --engine bounded -DSTACK
// NOTE assuming that no object is where another one was whose lifetime has ended
// A thread's own objects may lie where those of one lay that has ended: who says that their addresses
// differ says what that rests on.
#include <assert.h>
#include <pthread.h>

__thread int own;
int *last;

void *worker(void *unused)
{
#ifdef STACK
    int own;
#endif
    assert(__atomic_exchange_n(&last, &own, __ATOMIC_SEQ_CST) != &own);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
}
