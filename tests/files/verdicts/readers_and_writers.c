// precise: SUCCESSFUL --signed-overflow absent
// While a reader is inside, the number of readers is not 0, whatever others do, so that no writer comes in.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int readers, writing, data;

void *reader(void *argument)
{
    pthread_mutex_lock(&m);
    while (writing)
        pthread_cond_wait(&changed, &m);
    readers++;
    pthread_mutex_unlock(&m);
    int seen = data;
    assert(seen == data);
    pthread_mutex_lock(&m);
    readers--;
    if (readers == 0)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return 0;
}

void *writer(void *argument)
{
    pthread_mutex_lock(&m);
    while (writing || readers > 0)
        pthread_cond_wait(&changed, &m);
    writing = 1;
    pthread_mutex_unlock(&m);
    data = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    writing = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1) {
        if (__VERIFIER_nondet_int())
            pthread_create(&t, 0, reader, 0);
        else
            pthread_create(&t, 0, writer, 0);
    }
}
