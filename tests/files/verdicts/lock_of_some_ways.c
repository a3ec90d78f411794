// precise: FAILED
// precise: SUCCESSFUL -DWRITES_BACK
// Whether the lock is held is known by a condition only, again and again; meanwhile its holder has changed what it guards.
#include <assert.h>
#include <pthread.h>

extern int nondet(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int first, second;

void *worker(void *argument)
{
    int locks = nondet(), round;
    if (locks)
        pthread_mutex_lock(&lock);
    for (round = 0; round < 2; round++) {
        if (locks) {
            assert(first == second);
#ifdef WRITES_BACK
            first = second;
#else
            first = round ? second : second + 1;
#endif
        }
    }
    if (locks)
        pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (nondet())
        pthread_create(&thread, 0, worker, 0);
    return 0;
}
