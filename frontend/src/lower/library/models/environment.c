/* <stdlib.h> and <unistd.h>: the environment, whose variables are any texts, and numbers of who runs the program. */

typedef unsigned long size_t;

enum { EINVAL = 22 };

static int error(void)
{
    int number = __VERIFIER_nondet_int();
    *__errno_location() = number > 0 ? number : 1;
    return -1;
}

/* What variables say after the program has changed one is not modelled. */
static unsigned char is_changed;

static int change(void)
{
    if (__VERIFIER_nondet_bool())
        return error();
    __CPROVER_atomic_begin();
    is_changed = 1;
    __CPROVER_atomic_end();
    return 0;
}

/* Whether the program gets at the variables themselves, by `environ` or a third parameter of `main`. */
extern const unsigned char __sapa_sees_environment;

/* `value` is what the variable says at first, or null where there is none. */
char *__sapa_getenv(char *value)
{
    unsigned char any;
    __CPROVER_atomic_begin();
    any = is_changed;
    __CPROVER_atomic_end();
    return any || __sapa_sees_environment ? (char *)__sapa_unmodelled_ulong("getenv") : value;
}

/* Whether a text is no name of a variable. */
static int is_no_name(const char *name)
{
    if (name && *name && !strchr(name, '='))
        return 0;
    *__errno_location() = EINVAL;
    return 1;
}

int setenv(const char *name, const char *value, int replaces)
{
    if (is_no_name(name))
        return -1;
    strlen(value);
    return change();
}

int unsetenv(const char *name) { return is_no_name(name) ? -1 : change(); }

int putenv(char *text)
{
    strlen(text);
    return change();
}

int clearenv(void)
{
    __CPROVER_atomic_begin();
    is_changed = 1;
    __CPROVER_atomic_end();
    return 0;
}

/* ---- Parts of names of files: that of POSIX changes the text ---- */

char *__xpg_basename(char *name)
{
    if (!name || !*name)
        return (char *)".";
    char *part = strrchr(name, '/');
    if (!part)
        return name;
    if (part[1])
        return part + 1;
    while (part > name && part[-1] == '/')
        part--;
    if (part > name) {
        *part-- = 0;
        while (part > name && part[-1] != '/')
            part--;
        return part;
    }
    /* Slashes alone. */
    while (part[1])
        part++;
    return part;
}

/* Where the slashes begin that end there. */
static char *before_slashes(char *name, char *slash)
{
    while (slash != name && slash[-1] == '/')
        slash--;
    return slash;
}

char *dirname(char *name)
{
    char *last = name ? strrchr(name, '/') : 0;
    if (last && last != name && !last[1]) {
        char *end = before_slashes(name, last);
        if (end != name)
            last = memrchr(name, '/', end - name);
    }
    if (!last)
        return (char *)".";
    char *end = before_slashes(name, last);
    if (end == name)
        end = last == name + 1 ? last + 1 : name + 1;
    *end = 0;
    return name;
}

/* ---- Random bytes ---- */

long getrandom(void *to, size_t size, unsigned flags)
{
    unsigned char *bytes = to;
    size_t count = 0;
    if (__VERIFIER_nondet_bool())
        return error();
    while (count < size && __VERIFIER_nondet_bool())
        bytes[count++] = __VERIFIER_nondet_uchar();
    return (long)count;
}

int getentropy(void *to, size_t size)
{
    if (size > 256 || __VERIFIER_nondet_bool())
        return error();
    for (size_t at = 0; at < size; at++)
        ((unsigned char *)to)[at] = __VERIFIER_nondet_uchar();
    return 0;
}

/* ---- Limits, processors, clocks ---- */

int getrlimit(int resource, unsigned long *limits)
{
    if (__sapa_unmodelled_bool("getrlimit"))
        return error();
    limits[0] = __sapa_unmodelled_ulong("getrlimit");
    limits[1] = __sapa_unmodelled_ulong("getrlimit");
    __CPROVER_assume(limits[0] <= limits[1]);
    return 0;
}

int setrlimit(int resource, const void *limits) { return __VERIFIER_nondet_bool() ? error() : 0; }
int sched_setaffinity(int process, size_t size, const void *set) { return __VERIFIER_nondet_bool() ? error() : 0; }
int sched_setscheduler(int process, int policy, const void *parameters) { return __VERIFIER_nondet_bool() ? error() : 0; }

/* Which processors there are is not modelled. Linux clears what is behind those that there may be. */
static void any_processors(size_t size, unsigned char *set)
{
    for (size_t at = 0; at < size; at++)
        set[at] = __sapa_unmodelled_uchar("sched_getaffinity");
}

int sched_getaffinity(int process, size_t size, void *set)
{
    if (__VERIFIER_nondet_bool())
        return error();
    any_processors(size, set);
    return 0;
}

int pthread_getaffinity_np(unsigned long thread, size_t size, void *set)
{
    int number = __VERIFIER_nondet_int();
    if (number > 0)
        return number;
    any_processors(size, set);
    return 0;
}

int sched_getcpu(void) { return __sapa_unmodelled_bool("sched_getcpu") ? error() : __sapa_unmodelled_int("sched_getcpu") & 0x7fffffff; }

struct timespec {
    long seconds;
    long nanoseconds;
};

struct itimerval {
    long times[4];
};

/* A signal that comes after some time, which ends the program if nothing handles it. */
int setitimer(int which, const void *new, struct itimerval *old)
{
    if (__sapa_unmodelled_bool("setitimer"))
        return error();
    if (old)
        for (int part = 0; part < 4; part++)
            old->times[part] = __sapa_unmodelled_long("setitimer") & (long)(-1UL / 2);
    return 0;
}

int clock_getres(int clock, struct timespec *to)
{
    if (__sapa_unmodelled_bool("clock_getres"))
        return error();
    if (to) {
        to->seconds = (long)(__sapa_unmodelled_uint("clock_getres") & 1);
        to->nanoseconds = (long)(__sapa_unmodelled_uint("clock_getres") % 1000000000);
    }
    return 0;
}

/* Those of POSIX are from 1 to 99 for what runs in real time, else 0. */
static int priority(int policy, int real_time)
{
    if (policy == 1 || policy == 2)
        return real_time;
    if (policy == 0 || policy == 3 || policy == 5 || policy == 6)
        return 0;
    *__errno_location() = EINVAL;
    return -1;
}

int sched_get_priority_max(int policy) { return priority(policy, 99); }
int sched_get_priority_min(int policy) { return priority(policy, 1); }

/* ---- Numbers of users, of threads and of processes. Whoever started the program may end, and another take its place. ---- */

extern const unsigned __sapa_users[4];
unsigned getuid(void) { return __sapa_users[0]; }
unsigned geteuid(void) { return __sapa_users[1]; }
unsigned getgid(void) { return __sapa_users[2]; }
unsigned getegid(void) { return __sapa_users[3]; }

/* A number of the thread's own: that no two are equal is not modelled. */
int gettid(void)
{
    static _Thread_local int id;
    if (!id)
        id = 1 + (__sapa_unmodelled_int("gettid") & 0x3fffffff);
    return id;
}

int getppid(void) { return __sapa_unmodelled_int("getppid") & 0x7fffffff; }

/* ---- Texts of names ---- */

int pthread_getname_np(unsigned long thread, char *to, size_t size)
{
    enum { ERANGE = 34 };
    size_t length = 0;
    int number = __VERIFIER_nondet_int();
    if (size < 16)
        return ERANGE;
    if (number > 0)
        return number;
    while (length < 15 && __sapa_unmodelled_bool("pthread_getname_np"))
        __sapa_any_text("pthread_getname_np", to + length++, 1);
    to[length] = 0;
    return 0;
}

/* ---- Others of <string.h>, <wchar.h> and <malloc.h> ---- */

void explicit_bzero(void *object, size_t size) { memset(object, 0, size); }

void *rawmemchr(const void *object, int byte)
{
    const unsigned char *from = object;
    while (*from != (unsigned char)byte)
        from++;
    return (void *)from;
}

void swab(const void *source, void *target, long size)
{
    const char *from = source;
    char *to = target;
    for (long at = 0; at + 1 < size; at += 2) {
        char first = from[at];
        to[at] = from[at + 1];
        to[at + 1] = first;
    }
}

size_t wcslen(const int *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

void setlinebuf(void *file) {}

/* ---- Pseudo-random numbers whose state the program holds ---- */

static unsigned long long next_state(unsigned short *state)
{
    for (int part = 0; part < 3; part++)
        state[part] = (unsigned short)__sapa_unmodelled_uint("the next pseudo-random number");
    return (unsigned long long)state[2] << 32 | (unsigned long long)state[1] << 16 | state[0];
}

double erand48(unsigned short *state) { return (double)next_state(state) / 0x1p48; }
long nrand48(unsigned short *state) { return (long)(next_state(state) >> 17); }
long jrand48(unsigned short *state) { return (int)(next_state(state) >> 16); }
