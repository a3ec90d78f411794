// precise: SUCCESSFUL --threads 0
// Functions without effect return what they can.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec length = {0, 1}, rest = {0, 0};
    int result;
    __CPROVER_assert(sched_yield() == 0, "that cannot fail");
    __CPROVER_assert(sleep(0) == 0, "nothing is left");
    __CPROVER_assert(sleep(7) <= 7, "not more is left");
    result = usleep(1);
    __CPROVER_assert(result == 0 || result == -1, "of usleep");
    result = nanosleep(&length, &rest);
    __CPROVER_assert(result == 0 || result == -1 && (errno == EINTR || errno == EINVAL), "errors");
    __CPROVER_assert(rest.tv_sec == 0 && rest.tv_nsec <= 1, "not more is left");
    __CPROVER_assert(thrd_sleep(&length, 0) <= 0, "of thrd_sleep");
    result = putchar(321);
    __CPROVER_assert(result == 'A' || result == EOF, "a character");
    result = printf("four");
    __CPROVER_assert(result == 4 || result < 0, "a length");
    __CPROVER_assert(printf("%d", result) >= -1, "any length");
    __CPROVER_assert(puts("") >= -1, "no negative number but EOF");
    result = fflush(stdout);
    __CPROVER_assert(result == 0 || result == EOF, "of fflush");
    __CPROVER_assert(time(0) >= 0, "some time");
}
