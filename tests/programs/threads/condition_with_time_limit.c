// covers: condition-variables
// expect: successful
// threads: 0
#include <errno.h>
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x;

int main(void)
{
    struct timespec t = { 1, 0 };
    pthread_mutex_lock(&m);
    int r = pthread_cond_timedwait(&c, &m, &t);
    assert(r == 0 || r == ETIMEDOUT);
    x = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
