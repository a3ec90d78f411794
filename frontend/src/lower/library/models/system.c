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

struct timespec {
    long seconds;
    long nanoseconds;
};

static int invalid(void)
{
    *__errno_location() = EINVAL;
    return -1;
}

/* Which of the files are ready. Linux looks at whole words: of the last one, bits from `count` on are cleared. It looks
   at no more files than the process has room for, which is one word at least. */
static void any_ready(unsigned long *set, int count)
{
    if (!set)
        return;
    enum { BITS = 8 * sizeof(unsigned long) };
    for (int word = 0; word < (count + BITS - 1) / BITS; word++) {
        int left = count - BITS * word;
        if (word && __sapa_unmodelled_bool("select"))
            return;
        set[word] &= __VERIFIER_nondet_ulong() & (left < BITS ? (1UL << left) - 1 : -1UL);
    }
}

/* Waits for some time, or as long as it takes. Without a limit something is ready in the end, unless it fails. */
static int wait_for_files(int count, unsigned long *to_read, unsigned long *to_write, unsigned long *exceptional,
                          int is_limited)
{
    if (count < 0)
        return invalid();
    if (fails())
        return -1;
    if (!to_read && !to_write && !exceptional)
        return is_limited ? 0 : error();
    any_ready(to_read, count);
    any_ready(to_write, count);
    any_ready(exceptional, count);
    return __sapa_unmodelled_int("select") & 0x7fffffff;
}

/* On Linux the time is what was left of it, also after an error. Negative ones are invalid; where both parts
   together are not, only to newer versions of glibc. */
int select(int count, void *to_read, void *to_write, void *exceptional, struct timeval *time)
{
    if (time && (time->seconds < 0 || time->microseconds < 0)
        && (time->microseconds < 0 || time->seconds + time->microseconds / 1000000 < 0
            || __sapa_unmodelled_bool("select")))
        return invalid();
    if (time) {
        __sapa_sleep();
        if (time->seconds || time->microseconds) {
            time->seconds = __sapa_unmodelled_long("select") & (long)(-1UL / 2);
            time->microseconds = (long)(__sapa_unmodelled_uint("select") % 1000000);
        }
    }
    return wait_for_files(count, to_read, to_write, exceptional, time != 0);
}

int pselect(int count, void *to_read, void *to_write, void *exceptional, const struct timespec *time, const void *mask)
{
    if (time && (time->seconds < 0 || time->nanoseconds < 0 || time->nanoseconds > 999999999))
        return invalid();
    if (time)
        __sapa_sleep();
    return wait_for_files(count, to_read, to_write, exceptional, time != 0);
}

/* What calls return that do no more than to fail at times. */
int __sapa_status(void) { return fails() ? -1 : 0; }

/* Memory that is mapped, or what says that there is none: at times, and where it is asked for none or too much. */
void *__sapa_mapped(void *memory, int is_possible)
{
    if (is_possible && !fails())
        return memory;
    error();
    return (void *)-1;
}

/* What a signal did before: `SIG_DFL` or `SIG_IGN`, or nothing can be said of it. */
void *__sapa_signal(int is_allowed)
{
    if (is_allowed)
        return (void *)(unsigned long)__sapa_unmodelled_bool("signal");
    invalid();
    return (void *)-1;
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

/* A name of at most 64 characters; of one that does not fit, glibc copies what does, and says so. */
int gethostname(char *to, size_t size)
{
    size_t length = 0;
    if (fails())
        return -1;
    while (length < size && length < 64 && __VERIFIER_nondet_bool()) {
        char c = __VERIFIER_nondet_char();
        to[length++] = c ? c : 1;
    }
    if (length == size) {
        *__errno_location() = ENAMETOOLONG;
        return -1;
    }
    to[length] = 0;
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

enum { LONGEST = 64, NUMBERS = 134 };
extern const char __sapa_error_texts[NUMBERS][LONGEST];
static _Thread_local char error_text[LONGEST];

/* glibc has constants for most numbers, and a text of the thread's for others. Which pointers are equal so depends
   on the numbers; the characters are not modelled, in any of the texts. */
char *strerror(int number)
{
    __sapa_any_text("strerror", error_text, LONGEST - 1);
    error_text[1 + __sapa_unmodelled_ushort("strerror") % (LONGEST - 1)] = 0;
    if (number < 0 || number >= NUMBERS || number == 41 || number == 58)
        return error_text;
    const char *known = __sapa_error_texts[number];
    if (!known[0] || known[LONGEST - 1])
        known = "?";
    return __sapa_unmodelled_bool("strerror") ? (char *)known : error_text;
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
static const char *rest; /* Of a word with several options. */

int __sapa_getopt(int count, char *const *words, const char *options, char **argument, int *index, int *option)
{
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

/* ---- GNU's `getopt_long`: options of two dashes, which may be cut to what tells them apart ---- */

enum { REQUIRED = 1 };

struct option {
    const char *name;
    int has_argument;
    int *flag;
    int value;
};

static int long_option(const char *name, int count, char *const *words, const char *options,
                       const struct option *known, int *which, char **argument, int *index, int *option)
{
    size_t length = 0;
    int found = -1, is_ambiguous = 0;
    while (name[length] && name[length] != '=')
        length++;
    for (int at = 0; known[at].name; at++) {
        if (strncmp(known[at].name, name, length))
            continue;
        if (!known[at].name[length]) {
            found = at;
            is_ambiguous = 0;
            break;
        }
        if (found < 0)
            found = at;
        else if (known[at].has_argument != known[found].has_argument || known[at].flag != known[found].flag
                 || known[at].value != known[found].value)
            is_ambiguous = 1;
    }
    if (found < 0 || is_ambiguous) {
        *option = 0;
        return '?';
    }
    if (name[length] == '=') {
        if (!known[found].has_argument) {
            *option = known[found].value;
            return '?';
        }
        *argument = (char *)name + length + 1;
    } else if (known[found].has_argument == REQUIRED) {
        if (*index >= count) {
            *option = known[found].value;
            return options[0] == ':' ? ':' : '?';
        }
        *argument = words[(*index)++];
    }
    if (which)
        *which = found;
    if (!known[found].flag)
        return known[found].value;
    *known[found].flag = known[found].value;
    return 0;
}

int __sapa_getopt_long(int count, char *const *words, const char *options, const struct option *known, int *which,
                       char **argument, int *index, int *option)
{
    if (!argument)
        argument = &own_argument;
    if (!index)
        index = &own_index;
    if (!option)
        option = &own_option;
    int at = *index ? *index : 1;
    if (!*index || !rest || !*rest) {
        const char *word = at < count ? words[at] : 0;
        if (word && word[0] == '-' && word[1] == '-' && word[2]) {
            *argument = 0;
            *index = at + 1;
            rest = 0;
            return long_option(word + 2, count, words, options, known, which, argument, index, option);
        }
    }
    return __sapa_getopt(count, words, options, argument, index, option);
}
