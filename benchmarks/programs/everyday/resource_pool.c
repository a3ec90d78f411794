// Three threads borrow a connection each from a pool of two and give it back.
//
// Safe: a connection is marked busy under the lock under which it was found free, so nobody else has it meanwhile.
// Broken: the connection is marked after the lock was released, and two threads may have found the same one.
#include <assert.h>
#include <pthread.h>

#define CONNECTIONS 2
#define THREADS 3

static int busy[CONNECTIONS];
static int users[CONNECTIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;

static int borrow(void)
{
    int found;
    pthread_mutex_lock(&lock);
    for (;;) {
        found = -1;
        for (int i = 0; i < CONNECTIONS; i++)
            if (!busy[i])
                found = i;
        if (found >= 0)
            break;
        pthread_cond_wait(&returned, &lock);
    }
#ifdef BROKEN
    pthread_mutex_unlock(&lock);
    busy[found] = 1;
#else
    busy[found] = 1;
    pthread_mutex_unlock(&lock);
#endif
    return found;
}

static void give_back(int connection)
{
    pthread_mutex_lock(&lock);
    busy[connection] = 0;
    pthread_cond_signal(&returned);
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    int connection = borrow();
    users[connection] = *(int *)arg;
    assert(users[connection] == *(int *)arg);
    give_back(connection);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS] = { 1, 2, 3 };
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
