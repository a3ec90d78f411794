/* ---- What forces the order. ----
 *
 * gcc -fsanitize=thread calls a function before each access to memory that other threads may reach; these are such functions, in place
 * of ThreadSanitizer's. Each thread knows its accesses in the failing run, in order. One that comes to the next of them waits until
 * all that the run does before is done; other accesses do not wait. Objects without a name (on the heap, local ones) are known from the
 * first access to them. */

/* Functions of the system (Linux) by names of our own: the program may have these names for something else. */
struct sapa_time {
    long seconds, nanoseconds;
};
extern int *sapa_errno(void) __asm__("__errno_location");
extern int sapa_flush(void *) __asm__("fflush");
extern int sapa_print(int, const char *, ...) __asm__("dprintf");
extern long sapa_write(int, const void *, unsigned long) __asm__("write");
extern void sapa_exit(int) __asm__("_exit") __attribute__((noreturn));
extern void sapa_abort(void) __asm__("abort") __attribute__((noreturn));
extern int sapa_timer(int, const struct sapa_time[2], void *) __asm__("setitimer");
extern void (*sapa_signal(int, void (*)(int)))(int) __asm__("__sysv_signal");
extern int sapa_clock(int, struct sapa_time *) __asm__("clock_gettime");
extern int sapa_sleep(const struct sapa_time *, struct sapa_time *) __asm__("nanosleep");
extern void *sapa_allocate(unsigned long) __asm__("malloc");
extern void sapa_free(void *) __asm__("free");
extern int sapa_compare(const char *, const char *) __asm__("strcmp");

#define SAPA_OWN __attribute__((no_sanitize("thread"), unused))
#define SAPA_NONE (-1)
#define SAPA_SECONDS 10
#define SAPA_ALARM 14
#define SAPA_MONOTONIC 1

static int sapa_turn, sapa_flying = SAPA_NONE, sapa_flying_to, sapa_started, sapa_hooked;
static struct sapa_time sapa_since;
static int sapa_next[SAPA_THREADS], sapa_chosen[SAPA_THREADS];
static _Thread_local int sapa_self, sapa_line;

SAPA_OWN static int sapa_get(int *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
SAPA_OWN static void sapa_set(int *p, int v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }

SAPA_OWN static void sapa_stop(const char *words)
{
    sapa_flush(0);
    sapa_print(2, "sapa: the failing run could not be forced: %s (step %d of %d)\n", words, sapa_get(&sapa_turn), SAPA_ACTS);
    sapa_exit(3);
}

/* A thread for which the run has nothing more. */
SAPA_OWN static void sapa_rest(void)
{
    for (;;)
        sapa_sleep(&(struct sapa_time){1000, 0}, 0);
}

SAPA_OWN static void sapa_late(int number)
{
    static char words[] = "sapa: the failing run could not be forced: a thread did not come to step ...... of it\n";
    static const char hooks[] = "sapa: compile with -fsanitize=thread -c, and link without it\n";
    (void)number;
    for (int turn = sapa_get(&sapa_turn), at = sizeof words - 9, digit = 0; digit < 6; digit++, turn /= 10)
        words[at - digit] = digit == 0 || turn ? '0' + turn % 10 : ' ';
    long written = sapa_get(&sapa_hooked) ? sapa_write(2, words, sizeof words - 1) : sapa_write(2, hooks, sizeof hooks - 1);
    (void)written;
    sapa_exit(3);
}

SAPA_OWN __attribute__((constructor)) static void sapa_begin(void)
{
    sapa_objects();
    for (int thread = 0; thread < SAPA_THREADS; thread++)
        sapa_next[thread] = sapa_first[thread];
    sapa_signal(SAPA_ALARM, sapa_late);
    sapa_timer(0, (struct sapa_time[2]){{0, 0}, {SAPA_SECONDS, 0}}, 0);
}

SAPA_OWN __attribute__((destructor)) static void sapa_end(void) { sapa_stop("the program ended"); }

SAPA_OWN static void sapa_done(void)
{
    int to = sapa_get(&sapa_flying_to);
    sapa_set(&sapa_flying, SAPA_NONE);
    sapa_set(&sapa_turn, to);
}

/* A thread comes to a hook: its access before is done. */
SAPA_OWN static void sapa_arrive(void)
{
    int saved = *sapa_errno();
    sapa_set(&sapa_hooked, 1);
    if (sapa_self == SAPA_NONE)
        sapa_rest();
    if (sapa_get(&sapa_flying) == sapa_self)
        sapa_done();
    *sapa_errno() = saved;
}

/* The next act of this thread; none for ever, but for those that go on by themselves. */
SAPA_OWN static int sapa_mine(void)
{
    int next = sapa_next[sapa_self];
    if (next == SAPA_NONE && !sapa_goes_on[sapa_self])
        sapa_rest();
    return next;
}

SAPA_OWN static void sapa_wait(int act)
{
    int saved = *sapa_errno();
    while (sapa_get(&sapa_turn) != act) {
        struct sapa_time now, rest = {0, 20000};
        int flying = sapa_get(&sapa_flying);
        sapa_clock(SAPA_MONOTONIC, &now);
        /* An access takes no time; whoever comes to no other hook is done with it. */
        if (flying != SAPA_NONE && sapa_get(&sapa_flying_to) == act
            && (now.seconds - sapa_since.seconds) * 1000 + (now.nanoseconds - sapa_since.nanoseconds) / 1000000 > 100
            && __atomic_compare_exchange_n(&sapa_flying, &flying, SAPA_NONE, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            sapa_set(&sapa_turn, act);
            break;
        }
        sapa_sleep(&rest, 0);
    }
    *sapa_errno() = saved;
}

/* Whether an access of this kind is the act. An object that is met first is known from then on. */
SAPA_OWN static int sapa_is(int act, char kind, char *at, unsigned long size)
{
    const struct sapa_act *a = &sapa_acts[act];
    char *base = sapa_base[a->object];
    if (a->kind != kind)
        return 0;
    if (base)
        return at < base + a->offset + a->size && base + a->offset < at + size;
    if (kind != 'S' && size != a->size)
        return 0;
    for (int object = 0; object < SAPA_OBJECTS; object++)
        if (sapa_base[object] && at >= sapa_base[object] && at < sapa_base[object] + sapa_size[object])
            return 0;
    /* Synchronisation objects are met by their beginnings, and acts are about members of them. */
    sapa_base[a->object] = kind == 'S' ? at : at - a->offset;
    return 1;
}

/* The access is this thread's turn now, up to an act. */
SAPA_OWN static void sapa_fly(int last)
{
    sapa_next[sapa_self] = sapa_acts[last].next;
    sapa_line = sapa_acts[last].line;
    sapa_clock(SAPA_MONOTONIC, &sapa_since);
    sapa_set(&sapa_flying_to, last + 1);
    sapa_set(&sapa_flying, sapa_self);
}

SAPA_OWN static int sapa_same_line(int act, int line) { return sapa_acts[act].line / 256 == line / 256; }

/* Leaves out the acts of this thread before one. */
SAPA_OWN static void sapa_skip(int to)
{
    for (int *next = &sapa_next[sapa_self]; *next != to && *next != SAPA_NONE; *next = sapa_acts[*next].next) {
        sapa_wait(*next);
        sapa_set(&sapa_turn, *next + 1);
    }
}

/* The act that an access is: the thread's next one; or else a later one of the same line, or the first of the next line, as the machine may do
 * what one line does in another order, or in fewer accesses. Those before are left out. */
SAPA_OWN static int sapa_look(char kind, char other, void *at, unsigned long size)
{
    int first = sapa_mine();
    for (int act = first; act != SAPA_NONE; act = sapa_acts[act].next) {
        int is_here = sapa_same_line(act, sapa_acts[first].line);
        if ((sapa_acts[act].kind != 'R' && sapa_acts[act].kind != 'W') || (!is_here && !sapa_same_line(first, sapa_line)))
            return SAPA_NONE;
        if (sapa_is(act, kind, at, size) || (other && sapa_is(act, other, at, size))) {
            sapa_skip(act);
            return act;
        }
        if (!is_here)
            return SAPA_NONE;
    }
    return SAPA_NONE;
}

SAPA_OWN static void sapa_access(char kind, char other, void *at, unsigned long size)
{
    int saved = *sapa_errno(), act, last;
    sapa_arrive();
    act = sapa_look(kind, other, at, size);
    if (act == SAPA_NONE)
        return;
    sapa_wait(act);
    last = act;
    /* One access of the machine may be several of the run, of which none comes between. */
    while (sapa_acts[last].next == last + 1 && sapa_acts[last + 1].object == sapa_acts[last].object
           && (sapa_is(last + 1, kind, at, size) || (other && sapa_is(last + 1, other, at, size))))
        if (sapa_acts[last + 1].again)
            break;
        else
            last++;
    sapa_fly(last);
    *sapa_errno() = saved;
}

/* Waits for an act of a kind that is no access; whether the run has it. */
SAPA_OWN static int sapa_act(char kind, void *at, unsigned long size)
{
    int act;
    sapa_arrive();
    act = sapa_next[sapa_self];
    if (act == SAPA_NONE && kind != 'E')
        act = sapa_mine();
    while (act != SAPA_NONE && (sapa_acts[act].kind == 'R' || sapa_acts[act].kind == 'W')
           && (kind == 'E' || sapa_same_line(act, sapa_line)))
        act = sapa_acts[act].next;
    if (act != SAPA_NONE && (at ? sapa_is(act, kind, at, size) : sapa_acts[act].kind == kind))
        sapa_skip(act);
    if (act == SAPA_NONE || (at ? !sapa_is(act, kind, at, size) : sapa_acts[act].kind != kind))
        return 0;
    sapa_wait(act);
    sapa_fly(act);
    return 1;
}

/* The further steps of a call. */
SAPA_OWN static int sapa_more(void *at, unsigned long size)
{
    int before = sapa_line, next;
    sapa_arrive();
    next = sapa_mine();
    return next != SAPA_NONE && sapa_acts[next].line == before && sapa_act('S', at, size);
}

struct sapa_start {
    void *(*function)(void *);
    void *argument;
    int thread, is_int;
};

SAPA_OWN static void *sapa_run(void *argument)
{
    struct sapa_start start = *(struct sapa_start *)argument;
    void *result;
    sapa_free(argument);
    sapa_self = start.thread;
    if (start.is_int)
        result = (void *)(long)((int (*)(void *))start.function)(start.argument);
    else
        result = start.function(start.argument);
    while (sapa_act('E', 0, 0))
        ;
    return result;
}

SAPA_OWN static struct sapa_start *sapa_starts(void *(*function)(void *), void *argument, int is_int)
{
    struct sapa_start *start = sapa_allocate(sizeof *start);
    int is_there = sapa_act('P', 0, 0);
    start->function = function;
    start->argument = argument;
    start->is_int = is_int;
    start->thread = SAPA_NONE;
    if (is_there && sapa_get(&sapa_started) + 1 < SAPA_THREADS) {
        sapa_set(&sapa_started, sapa_get(&sapa_started) + 1);
        start->thread = sapa_get(&sapa_started);
    }
    return start;
}

SAPA_OWN static void sapa_fails(const char *words)
{
    sapa_arrive();
    sapa_flush(0);
    sapa_print(2, "%s\n", words);
    sapa_abort();
}

SAPA_OWN static long long sapa_choose(const char *name)
{
    sapa_arrive();
    for (int *next = &sapa_chosen[sapa_self]; *next < SAPA_CHOICES; ++*next)
        if (sapa_choices[*next].thread == sapa_self && !sapa_compare(sapa_choices[*next].name, name))
            return sapa_choices[(*next)++].value;
    return 0;
}

#define SAPA_HOOK(n) \
    SAPA_OWN void __tsan_read##n(void *p) { sapa_access('R', 0, p, n); } \
    SAPA_OWN void __tsan_write##n(void *p) { sapa_access('W', 0, p, n); } \
    SAPA_OWN void __tsan_volatile_read##n(void *p) { sapa_access('R', 0, p, n); } \
    SAPA_OWN void __tsan_volatile_write##n(void *p) { sapa_access('W', 0, p, n); } \
    SAPA_OWN void __tsan_unaligned_read##n(void *p) { sapa_access('R', 0, p, n); } \
    SAPA_OWN void __tsan_unaligned_write##n(void *p) { sapa_access('W', 0, p, n); }
SAPA_HOOK(1)
SAPA_HOOK(2)
SAPA_HOOK(4)
SAPA_HOOK(8)
SAPA_HOOK(16)
SAPA_OWN void __tsan_read_range(void *p, unsigned long n) { sapa_access('R', 0, p, n); }
SAPA_OWN void __tsan_write_range(void *p, unsigned long n) { sapa_access('W', 0, p, n); }
SAPA_OWN void __tsan_func_entry(void *p) { (void)p; sapa_arrive(); }
SAPA_OWN void __tsan_func_exit(void) { sapa_arrive(); sapa_mine(); }
SAPA_OWN void __tsan_init(void) {}
SAPA_OWN void __tsan_vptr_update(void *p, void *q) { (void)p; (void)q; }
SAPA_OWN void __tsan_atomic_thread_fence(int o) { (void)o; sapa_arrive(); __atomic_thread_fence(__ATOMIC_SEQ_CST); }
SAPA_OWN void __tsan_atomic_signal_fence(int o) { (void)o; }

/* Read-modify-writes read, then write. */
#define SAPA_UPDATE(n, t, name) \
    SAPA_OWN t __tsan_atomic##n##_fetch_##name(volatile void *p, t v, int o) \
    { (void)o; sapa_access('R', 'W', (void *)p, sizeof(t)); return __atomic_fetch_##name((volatile t *)p, v, __ATOMIC_SEQ_CST); }
#define SAPA_ATOMIC(n, t) \
    SAPA_OWN t __tsan_atomic##n##_load(const volatile void *p, int o) \
    { (void)o; sapa_access('R', 0, (void *)p, sizeof(t)); return __atomic_load_n((const volatile t *)p, __ATOMIC_SEQ_CST); } \
    SAPA_OWN void __tsan_atomic##n##_store(volatile void *p, t v, int o) \
    { (void)o; sapa_access('W', 0, (void *)p, sizeof(t)); __atomic_store_n((volatile t *)p, v, __ATOMIC_SEQ_CST); } \
    SAPA_OWN t __tsan_atomic##n##_exchange(volatile void *p, t v, int o) \
    { (void)o; sapa_access('R', 'W', (void *)p, sizeof(t)); return __atomic_exchange_n((volatile t *)p, v, __ATOMIC_SEQ_CST); } \
    SAPA_OWN _Bool __tsan_atomic##n##_compare_exchange_strong(volatile void *p, void *e, t v, int o, int f) \
    { (void)o; (void)f; sapa_access('R', 'W', (void *)p, sizeof(t)); \
      return __atomic_compare_exchange_n((volatile t *)p, (t *)e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
    SAPA_OWN _Bool __tsan_atomic##n##_compare_exchange_weak(volatile void *p, void *e, t v, int o, int f) \
    { return __tsan_atomic##n##_compare_exchange_strong(p, e, v, o, f); } \
    SAPA_OWN t __tsan_atomic##n##_compare_exchange_val(volatile void *p, t e, t v, int o, int f) \
    { __tsan_atomic##n##_compare_exchange_strong(p, &e, v, o, f); return e; } \
    SAPA_UPDATE(n, t, add) SAPA_UPDATE(n, t, sub) SAPA_UPDATE(n, t, and) SAPA_UPDATE(n, t, or) \
    SAPA_UPDATE(n, t, xor) SAPA_UPDATE(n, t, nand)
SAPA_ATOMIC(8, unsigned char)
SAPA_ATOMIC(16, unsigned short)
SAPA_ATOMIC(32, unsigned int)
SAPA_ATOMIC(64, unsigned long)

/* Calls that are steps. */
#define SAPA_WRAP(name, parameters, arguments) \
    extern int sapa_real_##name parameters __asm__(#name); \
    SAPA_OWN int sapa_##name parameters \
    { sapa_act('S', o, sizeof *o); int r = sapa_real_##name arguments; sapa_arrive(); return r; }
#define SAPA_WRAP_TWICE(name, parameters, arguments) \
    extern int sapa_real_##name parameters __asm__(#name); \
    SAPA_OWN int sapa_##name parameters \
    { \
        int is_there = sapa_act('S', o, sizeof *o), line = sapa_line, r; \
        /* What it does to the object before the function is called, if it is called at all. */ \
        while (is_there && sapa_more(o, sizeof *o)) \
            ; \
        r = sapa_real_##name arguments; \
        for (sapa_line = is_there ? line : -1; sapa_more(o, sizeof *o);) \
            ; \
        sapa_arrive(); \
        return r; \
    }
/* It wakes up when the run says so: nobody needs a signal for that. */
#define SAPA_WAIT(name, parameters, type, unlock, lock) \
    extern int sapa_##name##_unlock(type *) __asm__(unlock); \
    extern int sapa_##name##_lock(type *) __asm__(lock); \
    SAPA_OWN int sapa_##name parameters \
    { \
        int is_there = sapa_act('S', o, sizeof *o); \
        (void)c; \
        int r = sapa_##name##_unlock(o); \
        if (r) \
            return r; \
        if (!sapa_act('S', o, sizeof *o) && is_there) \
            sapa_rest(); \
        sapa_##name##_lock(o); \
        sapa_arrive(); \
        return 0; \
    }
#define SAPA_JOIN(name, parameters) \
    extern int sapa_real_##name parameters __asm__(#name); \
    SAPA_OWN int sapa_##name parameters { while (sapa_act('J', 0, 0)); return sapa_real_##name(t, x); }
