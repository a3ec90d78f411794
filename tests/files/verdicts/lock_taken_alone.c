// precise: FAILED
// Whether the initial thread took the lock before it started another is known by a condition only; what it wrote before was
// left for nobody.
#include <assert.h>
#include <pthread.h>

extern int nondet(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int guarded, other;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    guarded = 3;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int locks = nondet();
    if (locks) {
        guarded = 1;
        pthread_mutex_lock(&lock);
        pthread_create(&thread, 0, worker, 0);
    } else {
        guarded = 2;
        pthread_create(&thread, 0, worker, 0);
    }
    int seen = other;
    assert(seen == 0);
    if (locks) {
        assert(guarded != 1);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
