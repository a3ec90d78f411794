// precise: SUCCESSFUL
// precise: FAILED -DOUTSIDE
// precise: FAILED -DTWICE
// precise: SUCCESSFUL -DTWICE -DEVEN
// sound: FAILED -DTWICE -DLIMIT=1001 --timeout 5
// Any number of threads enter and leave, but who finds that a limit is reached goes back. That the limit is never passed
// follows from itself: a thread that finds fewer leaves at most as many.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef LIMIT
#if defined(OUTSIDE)
#define LIMIT 2
#elif defined(TWICE) && !defined(EVEN)
#define LIMIT 1
#else
#define LIMIT 100
#endif
#endif

#ifdef TWICE
enum { STEP = 2 };
#else
enum { STEP = 1 };
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;

bool enter(void)
{
#ifdef OUTSIDE
    bool is_full = inside == LIMIT;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    bool is_full = inside == LIMIT;
#endif
    if (!is_full)
        inside += STEP;
    pthread_mutex_unlock(&lock);
    return !is_full;
}

void *visitor(void *unused)
{
    if (!enter())
        return unused;
    int now = inside;
    assert(now >= 1 && now <= LIMIT);
    pthread_mutex_lock(&lock);
    inside -= STEP;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, visitor, NULL);
}
