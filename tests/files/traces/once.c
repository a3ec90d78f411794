// Both initialise what is initialised once already: with a control for each.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

pthread_once_t own = PTHREAD_ONCE_INIT, other = PTHREAD_ONCE_INIT;
int starts;

void initialise(void)
{
    starts++;
}

void *user(void *unused)
{
    pthread_once(&own, initialise);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, user, 0);
    pthread_once(&other, initialise);
    pthread_once(&own, initialise);
    pthread_join(thread, 0);
    assert(starts == 1);
}
