/* <time.h>: times as dates and texts. Which date a time has depends on the zone, which the environment gives; dates
   are any in the ranges of C11 7.27.1, and texts any of the right form: that the same time is always the
   same date is not modelled. */

typedef unsigned long size_t;

struct tm {
    int second, minute, hour, day, month, year, weekday, yearday, is_summer;
    long offset;
    const char *zone;
};

enum { EOVERFLOW = 75, DATE = 26, LONG_DATE = 66 };

/* The name of the zone is any of three letters. */
extern const char __sapa_zone[4];
/* As in the C library, all threads share what is returned. */
static struct tm shared;
static char shared_text[LONG_DATE + 2];

/* Without a branch: the path is the same for all values then, whichever is the right one. */
static int below(unsigned short any, int limit) { return any % limit; }

static void any_date(struct tm *to, int is_local, int is_usual)
{
    __CPROVER_assume(!__sapa_zone[3]);
    to->second = below(__sapa_unmodelled_ushort("the date"), 61);
    to->minute = below(__sapa_unmodelled_ushort("the date"), 60);
    to->hour = below(__sapa_unmodelled_ushort("the date"), 24);
    to->day = below(__sapa_unmodelled_ushort("the date"), 31) + 1;
    to->month = below(__sapa_unmodelled_ushort("the date"), 12);
    to->year = is_usual ? below(__sapa_unmodelled_ushort("the date"), 9000) - 900 : __sapa_unmodelled_int("the date");
    to->weekday = below(__sapa_unmodelled_ushort("the date"), 7);
    to->yearday = below(__sapa_unmodelled_ushort("the date"), 366);
    to->is_summer = is_local ? below(__sapa_unmodelled_ushort("the date"), 3) - 1 : 0;
    to->offset = is_local ? __sapa_unmodelled_long("the date") : 0;
    to->zone = is_local ? __sapa_zone : "GMT";
}

/* Years that fit no `int` are an error; where they begin depends on the zone. So does which times are of years of
   four digits, by a day. */
static struct tm *date(const long *time, struct tm *to, int is_local)
{
    long long when = *time;
    if ((when < -67768040609650000 || when > 67768036191590000) && __sapa_unmodelled_bool("the date")) {
        *__errno_location() = EOVERFLOW;
        return 0;
    }
    any_date(to, is_local, when > -30610137600 && when < 253402214400);
    return to;
}

struct tm *localtime_r(const long *time, struct tm *to) { return date(time, to, 1); }
struct tm *gmtime_r(const long *time, struct tm *to) { return date(time, to, 0); }
struct tm *localtime(const long *time) { return date(time, &shared, 1); }
struct tm *gmtime(const long *time) { return date(time, &shared, 0); }

/* The members are brought into their ranges. */
static long time_of(struct tm *date, int is_local)
{
    if (__sapa_unmodelled_bool("mktime")) {
        *__errno_location() = EOVERFLOW;
        return -1;
    }
    any_date(date, is_local, 0);
    return __sapa_unmodelled_long("mktime");
}

long mktime(struct tm *date) { return time_of(date, 1); }
long timelocal(struct tm *date) { return time_of(date, 1); }
long timegm(struct tm *date) { return time_of(date, 0); }
void tzset(void) {}

static int is_below(int number, int limit) { return number >= 0 && number < limit; }

/* `Thu Nov 26 16:00:00 2026` and the end of the line, if all numbers have the usual count of digits. */
static int is_usual(const struct tm *date)
{
    return is_below(date->second, 100) && is_below(date->minute, 100) && is_below(date->hour, 100)
           && is_below(date->day, 100) && date->year >= -900 && date->year < 8100;
}

/* A year that fits no `int` when 1900 is added is an error. */
static int has_year(const struct tm *date)
{
    if (date->year <= 2147483647 - 1900)
        return 1;
    *__errno_location() = EOVERFLOW;
    return 0;
}

static char *usual_text(char *to)
{
    __sapa_any_text("asctime", to, DATE - 2);
    to[DATE - 2] = '\n';
    to[DATE - 1] = 0;
    return to;
}

/* A longer text does not fit, which is an error, after what does was written. */
char *asctime_r(const struct tm *date, char *to)
{
    if (is_usual(date))
        return usual_text(to);
    if (!has_year(date))
        return 0;
    usual_text(to);
    if (__sapa_unmodelled_bool("asctime")) {
        to[DATE - 2] = 'x';
        *__errno_location() = EOVERFLOW;
        return 0;
    }
    return to;
}

char *asctime(const struct tm *date)
{
    if (is_usual(date))
        return usual_text(shared_text);
    if (!has_year(date))
        return 0;
    int length = below(__sapa_unmodelled_ushort("asctime"), LONG_DATE - 8) + 8;
    __sapa_any_text("asctime", shared_text, LONG_DATE);
    shared_text[length] = '\n';
    shared_text[length + 1] = 0;
    return shared_text;
}

char *ctime_r(const long *time, char *to)
{
    struct tm of_time;
    return date(time, &of_time, 1) ? asctime_r(&of_time, to) : 0;
}

/* It changes what `localtime` returned. */
char *ctime(const long *time) { return localtime(time) ? asctime(&shared) : 0; }

/* How long the text is depends on the date; what does not fit is not stored, or in part. */
size_t strftime(char *to, size_t size, const char *format, const struct tm *date)
{
    size_t length = 0;
    while (length + 1 < size && __sapa_unmodelled_bool("strftime"))
        __sapa_any_text("strftime", to + length++, 1);
    if (!size || __sapa_unmodelled_bool("strftime"))
        return 0;
    to[length] = 0;
    return length;
}
