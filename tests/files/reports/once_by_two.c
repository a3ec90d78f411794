// Two threads come to one function, of which one calls it.
// precise: FAILED
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int value, seen;

void initialise(void) { value = value + 1; }

void *other(void *argument)
{
    pthread_once(&once, initialise);
    int old = seen;
    seen = old + value;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, other, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen == 2);
}
