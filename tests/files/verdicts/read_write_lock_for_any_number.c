// precise: SUCCESSFUL
// precise: SUCCESSFUL -DEITHER
// precise: SUCCESSFUL -DTRY
// precise: FAILED -DTRY -DUNASKED
// precise: FAILED -DREADER_WRITES
// Writers keep the balance while they hold the lock exclusively; readers look at it while they hold it shared.
#include <assert.h>
#include <pthread.h>

extern int nondet(void);

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int income, spent, left;

static void earn(int by)
{
    income += by;
    left += by;
}

void *writer(void *argument)
{
#ifdef READER_WRITES
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    earn(nondet());
    spent++;
    left--;
    pthread_rwlock_unlock(&lock);
    return 0;
}

void *reader(void *argument)
{
#ifdef EITHER
    /* One unlock for both. */
    if (nondet())
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
    assert(left == income - spent);
    pthread_rwlock_unlock(&lock);
#elif defined(TRY)
#ifdef UNASKED
    int failed = 0;
    pthread_rwlock_tryrdlock(&lock);
#else
    int failed = pthread_rwlock_tryrdlock(&lock);
#endif
    if (!failed) {
        assert(left == income - spent);
        pthread_rwlock_unlock(&lock);
    }
#else
    pthread_rwlock_rdlock(&lock);
    assert(left == income - spent);
    pthread_rwlock_unlock(&lock);
#endif
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (nondet()) {
        pthread_create(&thread, 0, writer, 0);
        pthread_create(&thread, 0, reader, 0);
    }
    return 0;
}
