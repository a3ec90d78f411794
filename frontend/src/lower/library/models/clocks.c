/* <time.h> and <sys/time.h>: what clocks say. */

struct timespec {
    long seconds;
    long nanoseconds;
};

struct timeval {
    long seconds;
    long microseconds;
};

/* Linux sets no clock to a later second, counted from 1970 on; one of 32 bits ends in 2038. */
static const long latest = sizeof(long) == 8 ? 8277292036 : 2147483647;

static long within(long value, long most) { return value >= 0 && value <= most ? value : 0; }

/* The time of day is any: it may be set at any time. */
long time(long *now)
{
    long seconds = within(__VERIFIER_nondet_long(), latest);
    if (now)
        *now = seconds;
    return seconds;
}

int gettimeofday(void *object, void *zone)
{
    struct timeval *now = object;
    now->seconds = within(__VERIFIER_nondet_long(), latest);
    now->microseconds = within(__VERIFIER_nondet_long(), 999999);
    return 0;
}

enum { REALTIME, MONOTONIC, REALTIME_COARSE = 5, CLOCKS = 8, EINVAL = 22 };

static const long second = 1000000000;

/* The last that anybody has read of the clock that only goes forward, and whether somebody has waited since the
   beginning until a time was over. */
static struct timespec last;
static int has_slept;

void __sapa_sleep(void)
{
    __CPROVER_atomic_begin();
    has_slept = 1;
    __CPROVER_atomic_end();
}

/* Any time that is not before another: a thread may be stopped for as long as one likes, so that each is possible.
   After a wait until a time is over some are not, and which ones is not modelled. (There is no branch
   then: the path is the same for all values, whichever is the right one.) */
static void next(struct timespec *now)
{
    if (!has_slept) {
        now->seconds = within(__VERIFIER_nondet_long(), latest);
        now->nanoseconds = within(__VERIFIER_nondet_long(), second - 1);
        if (now->seconds < last.seconds
            || (now->seconds == last.seconds && now->nanoseconds < last.nanoseconds))
            *now = last;
        return;
    }
    long more = (long)(__sapa_unmodelled_uint("clock_gettime") & 0x3fffffff);
    long part = (long)(__sapa_unmodelled_uint("clock_gettime") % second);
    long missing = last.nanoseconds - part;
    now->seconds = last.seconds + more;
    now->nanoseconds = part + (missing & -(long)((more == 0) & (missing > 0)));
}

/* What a thread has read of the other clocks that only go forward. What it reads next is not less, but
   what others have read before is not compared with it, and neither are clocks with one another. */
static _Thread_local struct timespec read[CLOCKS];

static void next_of(int clock, struct timespec *now)
{
    struct timespec *before = &read[clock];
    long more = (long)(__sapa_unmodelled_uint("clock_gettime") & 0x3fffffff);
    long part = (long)(__sapa_unmodelled_uint("clock_gettime") % second);
    long missing = before->nanoseconds - part;
    before->seconds += more;
    before->nanoseconds = part + (missing & -(long)((more == 0) & (missing > 0)));
    *now = *before;
}

int clock_gettime(int clock, void *object)
{
    struct timespec *now = object;
    if (clock < 0 || clock >= CLOCKS) {
        *__errno_location() = EINVAL;
        return -1;
    }
    if (clock == REALTIME || clock == REALTIME_COARSE) {
        now->seconds = within(__VERIFIER_nondet_long(), latest);
        now->nanoseconds = within(__VERIFIER_nondet_long(), 999999999);
        return 0;
    }
    if (clock != MONOTONIC) {
        next_of(clock, now);
        return 0;
    }
    struct timespec found;
    __CPROVER_atomic_begin();
    next(&found);
    last = found;
    __CPROVER_atomic_end();
    *now = found;
    return 0;
}

int timespec_get(void *now, int base)
{
    if (base != 1) /* TIME_UTC */
        return 0;
    clock_gettime(REALTIME, now);
    return base;
}

double difftime(long end, long start) { return (double)(end - start); }
