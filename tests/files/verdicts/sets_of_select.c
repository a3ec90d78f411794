// precise: SUCCESSFUL
// precise: FAILED -DBEYOND
// precise: INCONCLUSIVE -DTIME_LEFT
// Linux clears what lies behind the files in the same word, and stores the time that is left also when it fails.
#include <assert.h>
#include <errno.h>
#include <sys/select.h>

int main(void)
{
    fd_set set;
    struct timeval none = {0, 0}, second = {1, 0}, negative = {-1, 0};
    FD_ZERO(&set);
    FD_SET(1, &set);
    FD_SET(20, &set);
    FD_SET(70, &set);
#ifdef TIME_LEFT
    if (select(0, 0, 0, 0, &second) == -1)
        assert(second.tv_sec == 1);
#endif
    if (select(3, &set, 0, 0, &none) >= 0) {
#ifdef BEYOND
        assert(FD_ISSET(20, &set));
#endif
        assert(!FD_ISSET(20, &set) && FD_ISSET(70, &set));
    }
    assert(none.tv_sec == 0);
    errno = 0;
    assert(select(-1, &set, 0, 0, &none) == -1 && errno == EINVAL);
    errno = 0;
    assert(select(3, &set, 0, 0, &negative) == -1 && errno == EINVAL && negative.tv_sec == -1);
    assert(select(0, 0, 0, 0, 0) == -1);
    return 0;
}
