/* <unistd.h>, <sys/select.h>, <sys/resource.h>, <sys/mman.h> and others: what the system says of itself, waits and
   memory. */

typedef unsigned long size_t;

enum { EINTR = 4, EINVAL = 22, ERANGE = 34, ENAMETOOLONG = 36, ETIMEDOUT = 110 };

static int error(void)
{
    int number = __VERIFIER_nondet_int();
    *__errno_location() = number > 0 ? number : 1;
    return -1;
}

static int fails(void) { return __VERIFIER_nondet_bool() && error(); }

/* ---- Waiting ---- */

struct timeval {
    long seconds;
    long microseconds;
};

/* Which of the files are ready. Those beyond `count` are not looked at. */
static void any_ready(unsigned char *set, int count)
{
    if (set)
        for (int byte = 0; byte < (count + 7) / 8; byte++)
            set[byte] &= __VERIFIER_nondet_uchar();
}

/* On Linux the time is what was left of it. */
int select(int count, void *to_read, void *to_write, void *exceptional, struct timeval *time)
{
    if (fails())
        return -1;
    if (time) {
        __sapa_sleep();
        time->seconds = __sapa_unmodelled_long("select") & (long)(-1UL / 2);
        time->microseconds = (long)(__sapa_unmodelled_uint("select") % 1000000);
    }
    any_ready(to_read, count);
    any_ready(to_write, count);
    any_ready(exceptional, count);
    if (!to_read && !to_write && !exceptional)
        return 0;
    return __sapa_unmodelled_int("select") & 0x7fffffff;
}

int pselect(int count, void *to_read, void *to_write, void *exceptional, const void *time, const void *mask)
{
    if (time)
        __sapa_sleep();
    return select(count, to_read, to_write, exceptional, 0);
}

/* ---- What the system says of itself ---- */

/* A text of any length that has room there; what does not fit is an error, or cut off. */
static void fill_text(char *to, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && __VERIFIER_nondet_bool()) {
        char c = __VERIFIER_nondet_char();
        to[length++] = c ? c : 1;
    }
    to[length] = 0;
}

int gethostname(char *to, size_t size)
{
    if (fails())
        return -1;
    if (size)
        fill_text(to, size);
    return 0;
}

struct utsname {
    char texts[6][65];
};

int uname(struct utsname *to)
{
    if (fails())
        return -1;
    for (int text = 0; text < 6; text++)
        fill_text(to->texts[text], sizeof to->texts[text]);
    return 0;
}

/* Times and counts that grow as the program runs, which is not modelled. */
int getrusage(int who, long *to)
{
    if (who < -1 || who > 1) {
        *__errno_location() = EINVAL;
        return -1;
    }
    for (int member = 0; member < 18; member++)
        to[member] = __sapa_unmodelled_long("getrusage") & (long)(-1UL / 2);
    return 0;
}

long times(long *to)
{
    if (to)
        for (int member = 0; member < 4; member++)
            to[member] = __sapa_unmodelled_long("times") & (long)(-1UL / 2);
    return __sapa_unmodelled_long("times");
}

int getloadavg(double *to, int count)
{
    for (int at = 0; at < count && at < 3; at++)
        to[at] = (double)__VERIFIER_nondet_uint();
    return __VERIFIER_nondet_bool() ? -1 : count < 3 ? count : 3;
}

/* The name of a file that was not there: other letters for the last six. */
int mkstemp(char *name)
{
    size_t length = strlen(name);
    if (length < 6 || strcmp(name + length - 6, "XXXXXX")) {
        *__errno_location() = EINVAL;
        return -1;
    }
    for (size_t at = length - 6; at < length; at++) {
        unsigned char c = __VERIFIER_nondet_uchar();
        /* Of the 62 letters and digits. */
        name[at] = (char)(c < 26 ? 'a' + c : c < 52 ? 'A' + c - 26 : '0' + c % 10);
    }
    return fails() ? -1 : __sapa_unmodelled_int("mkstemp") & 0x7fffffff;
}

/* ---- Texts of errors. They depend on the language, but none is empty. ---- */

enum { LONGEST = 64 };
static _Thread_local char error_text[LONGEST];

/* glibc has constants for most numbers, and a text of the thread's for others. */
char *strerror(int number)
{
    __sapa_any_text("strerror", error_text, LONGEST - 1);
    error_text[1 + __sapa_unmodelled_ushort("strerror") % (LONGEST - 1)] = 0;
    return error_text;
}

static void fill_error(char *to, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && (!length || __sapa_unmodelled_bool("strerror")))
        __sapa_any_text("strerror", to + length++, 1);
    to[length] = 0;
}

/* GNU's, which may leave the array alone. */
char *strerror_r(int number, char *to, size_t size)
{
    if (!size)
        return strerror(number);
    fill_error(to, size);
    return __VERIFIER_nondet_bool() ? to : strerror(number);
}

/* That of POSIX. */
int __xpg_strerror_r(int number, char *to, size_t size)
{
    if (size)
        fill_error(to, size);
    return __sapa_unmodelled_bool("strerror_r") ? __sapa_unmodelled_bool("strerror_r") ? EINVAL : ERANGE : 0;
}

/* ---- `getopt` as POSIX has it: it stops at the first argument that is no option ---- */

static char *own_argument;
static int own_index = 1, own_option;

int __sapa_getopt(int count, char *const *words, const char *options, char **argument, int *index, int *option)
{
    static const char *rest; /* Of a word with several options. */
    if (!argument)
        argument = &own_argument;
    if (!index)
        index = &own_index;
    if (!option)
        option = &own_option;
    *argument = 0;
    if (!*index) {
        *index = 1;
        rest = 0;
    }
    if (!rest || !*rest) {
        const char *word = *index < count ? words[*index] : 0;
        if (!word || word[0] != '-' || !word[1])
            return -1;
        if (word[1] == '-' && !word[2]) {
            ++*index;
            return -1;
        }
        rest = word + 1;
    }
    char c = *rest++;
    const char *known = options;
    while (*known && *known != c)
        known++;
    if (!*rest)
        ++*index;
    if (!*known || c == ':') {
        *option = c;
        return '?';
    }
    if (known[1] != ':')
        return c;
    if (*rest) {
        *argument = (char *)rest;
        ++*index;
    } else if (known[2] != ':') {
        if (*index >= count) {
            *option = c;
            c = options[0] == ':' ? ':' : '?';
        } else {
            *argument = words[(*index)++];
        }
    }
    rest = 0;
    return c;
}
