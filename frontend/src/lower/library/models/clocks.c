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

enum { REALTIME, REALTIME_COARSE = 5, CLOCKS = 8, EINVAL = 22 };

/* What a thread has read of the clocks that only go forward. What it reads next is not less, but
   what others have read before is not compared with it. */
static _Thread_local struct timespec read[CLOCKS];

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
    struct timespec next;
    next.seconds = within(__sapa_unmodelled_long("clock_gettime"), latest);
    next.nanoseconds = within(__sapa_unmodelled_long("clock_gettime"), 999999999);
    if (next.seconds < read[clock].seconds
        || (next.seconds == read[clock].seconds && next.nanoseconds < read[clock].nanoseconds))
        next = read[clock];
    read[clock] = next;
    *now = next;
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
