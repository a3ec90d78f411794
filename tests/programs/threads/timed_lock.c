// covers: mutexes
// expect: failed
// threads: 0
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    struct timespec t = { 1, 0 };
    assert(pthread_mutex_timedlock(&m, &t) == 0); /* Nobody holds it. */
    assert(pthread_mutex_timedlock(&m, &t) == 0); /* The time is over. */
    return 0;
}
