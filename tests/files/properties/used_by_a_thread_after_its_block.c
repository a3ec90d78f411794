// precise: FAILED --property pointers
// precise: SUCCESSFUL --property pointers -DJOINED
// A thread is handed a local of a block that is left while it runs.
#include <pthread.h>

static int seen[2];

static void *worker(void *argument)
{
    seen[0] += *(int *)argument;
    return 0;
}

int main(void)
{
    pthread_t thread;
    for (int round = 0; round < 2; round++) {
        int number = round;
        pthread_create(&thread, 0, worker, &number);
#ifdef JOINED
        pthread_join(thread, 0);
#endif
    }
    return 0;
}
