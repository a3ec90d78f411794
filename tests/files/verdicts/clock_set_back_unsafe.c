// precise: FAILED --threads 0
// The time of day may be set back.
#include <assert.h>
#include <time.h>

int main(void) {
    time_t before;
    time(&before);
    assert(time(0) >= before);
}
