// sound: FAILED
// Main counts before it starts others, and takes back what it counted while they run.
#include <assert.h>
#include <pthread.h>

extern int nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char users;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(users != 0);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;

    users = 1;
    while (nondet_int())
        pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    users--;
    pthread_mutex_unlock(&lock);
    return 0;
}
