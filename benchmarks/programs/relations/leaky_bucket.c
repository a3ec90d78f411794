// A bucket of tokens: a timer puts two in, requests take three.
//
// Safe: there are at most 60, and never less than none. -DANY: any number of requests.
// Broken: a request that finds one or two takes them as three.
#include <assert.h>
#include <pthread.h>

#define MOST 60

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int tokens = MOST;

void *timer(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        tokens += 2;
        if (tokens > MOST)
            tokens = MOST;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *request(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (tokens > 0)
#else
        if (tokens >= 3)
#endif
            tokens -= 3;
        assert(tokens >= 0 && tokens <= MOST);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, timer, 0);
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, request, 0);
    return 0;
}
