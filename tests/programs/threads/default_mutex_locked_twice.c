// covers: mutexes
// expect: successful
// threads: 0
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    assert(0); /* Never: the thread waits for itself. */
    return 0;
}
