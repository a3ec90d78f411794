// known gap: SUCCESSFUL
// How much time a sleep takes is not modelled.
#include <assert.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    unsigned left = sleep(2);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert(left || end.tv_sec > start.tv_sec);
    return 0;
}
