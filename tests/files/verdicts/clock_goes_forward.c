// precise: SUCCESSFUL --threads 0
// A clock that only goes forward never says less to a thread than before.
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec first, second;
    clock_gettime(CLOCK_MONOTONIC, &first);
    clock_gettime(CLOCK_MONOTONIC, &second);
    assert(second.tv_sec >= first.tv_sec);
    assert(second.tv_nsec < 1000000000);
    assert(clock_gettime(-1, &first) == -1);
}
