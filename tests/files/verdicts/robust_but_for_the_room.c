// precise: SUCCESSFUL/FAILED/FAILED --threads 2
// The third thread starts when one of the others has ended. What waits is seen at what starts make room for.
#include <assert.h>
#include <pthread.h>

int x, y, first_is_early, third_is_early;

void *first(void *unused)
{
    x = 1;
    first_is_early = !y;
    return 0;
}

void *second(void *unused)
{
    y = 1;
    return 0;
}

void *third(void *unused)
{
    third_is_early = !x;
    return 0;
}

int main(void)
{
    pthread_t t, u, v;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_create(&v, 0, third, 0);
    pthread_join(t, 0);
    pthread_join(v, 0);
    assert(!(first_is_early && third_is_early));
}
