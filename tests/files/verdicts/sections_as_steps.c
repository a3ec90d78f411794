// precise: SUCCESSFUL --engine bounded --unwind 4
// precise: FAILED --engine bounded --unwind 4 -DUNLOCKED
// precise: FAILED --engine bounded --unwind 4 -DTRY
// precise: FAILED --engine bounded --unwind 4 -DEARLY
// precise: FAILED --engine bounded --unwind 4 -DOUTSIDE
// What threads do while they hold a lock is one step, but for what others may see: what is read or written without the
// lock, whether it is held, and what is done after it was given back. Where a thread
// leaves an array it stops in the middle of the step.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b, was_held, index, cells[2];
extern int __VERIFIER_nondet_int(void);

#ifdef OUTSIDE
static void *writer(void *argument)
{
    pthread_mutex_lock(&lock);
    int at = index;
    a = 1;
    cells[at] = 7;
    a = 2;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;
    index = __VERIFIER_nondet_int() ? 5 : 1;
    pthread_create(&thread, 0, writer, 0);
    int seen = a;
    assert(seen != 1 || index != 5);
    pthread_mutex_lock(&lock);
    cells[0] = cells[1];
    pthread_mutex_unlock(&lock);
}
#else

static void *worker(void *argument)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        a++;
#ifdef EARLY
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        b++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *reader(void *argument)
{
#if defined UNLOCKED
    int seen = a;
    assert(seen == b || seen < b);
#elif defined TRY
    if (pthread_mutex_trylock(&lock))
        was_held = 1;
    else
        pthread_mutex_unlock(&lock);
    assert(!was_held);
#else
    pthread_mutex_lock(&lock);
    assert(a == b);
    pthread_mutex_unlock(&lock);
#endif
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, worker, 0);
    pthread_create(&threads[1], 0, worker, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(a == 4 && b == 4);
}
#endif
