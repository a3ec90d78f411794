// precise: SUCCESSFUL
// precise: SUCCESSFUL -DLIMIT=999 -DEXACTLY
// precise: FAILED -DLIMIT=4 -DEXACTLY
// More threads than an int counts by threes may be started, but each looks for room first.
#include <assert.h>
#include <pthread.h>

#ifndef LIMIT
#define LIMIT 1000
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *visitor(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef EXACTLY
    if (inside == LIMIT) {
#else
    if (inside >= LIMIT) {
#endif
        pthread_mutex_unlock(&lock);
        return unused;
    }
    inside += 3;
    pthread_mutex_unlock(&lock);
    assert(inside >= 3 && inside <= LIMIT + 2);
    pthread_mutex_lock(&lock);
    inside -= 3;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    pthread_t thread;
    for (int i = 0; i < n; i++)
        pthread_create(&thread, NULL, visitor, NULL);
    return 0;
}
