/* Double-checked locking, unsafe. After Schmidt and Harrison: Double-checked locking (1996)
 *
 * Assertion: whoever sees the pointer set sees the object initialised.
 * Bug: the flag is set before the object.
 *
 *     sapa check double_checked_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ready = 0;
int object = 0;

void *worker(void *arg)
{
    if (!ready) {
        pthread_mutex_lock(&m);
        if (!ready) {
            ready = 1;
            object = 42;
        }
        pthread_mutex_unlock(&m);
    }
    assert(object == 42);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
