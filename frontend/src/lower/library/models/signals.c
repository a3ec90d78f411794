/* <signal.h>: handlers. Each signal that has one has a thread that runs it, at any times and as often as one likes, as
   long as it is the handler. To the thread that a signal interrupts it is as if another one had run. */

enum { SIGNALS = 64, EINTR = 4, EINVAL = 22, ESRCH = 3, WITH_INFORMATION = 4 };
static const unsigned once = 0x80000000;

/* A handler is told the number of the signal, or also who has sent it. The functions here are none, so that there is
   one of each kind. */
static void nothing(int number) {}
static void nothing_informed(int number, void *information, void *context) {}
static void (*handlers[SIGNALS + 1])(int) = {nothing};
static void (*informed[SIGNALS + 1])(int, void *, void *) = {nothing_informed};
static unsigned char has_thread[SIGNALS + 1], ends_after_one[SIGNALS + 1];

struct action {
    void (*handler)(int);
    unsigned long held_back[128 / sizeof(long)];
    unsigned flags;
    void *restorer;
};

static int is_informed(void (*handler)(int, void *, void *)) { return handler && handler != nothing_informed; }

/* What a handler is told of the sender is not modelled. */
static void run(int number, void (*handler)(int), void (*with_information)(int, void *, void *))
{
    if (handler)
        handler(number);
    if (is_informed(with_information)) {
        unsigned long information[128 / sizeof(long)], context[1024 / sizeof(long)];
        for (int word = 0; word < (int)(sizeof information / sizeof(long)); word++)
            information[word] = __sapa_unmodelled_ulong("sigaction");
        *(int *)information = number;
        with_information(number, information, context);
    }
}

/* A program of one thread, of which one signal has a handler, sees nothing of what that has done before it returns. So it
   is one atomic section. */
void __sapa_signals(int number)
{
    while (__VERIFIER_nondet_bool()) {
        __CPROVER_atomic_begin();
        void (*handler)(int) = handlers[number];
        void (*with_information)(int, void *, void *) = informed[number];
        if (ends_after_one[number]) {
            handlers[number] = 0;
            informed[number] = 0;
        }
        run(number, handler, with_information);
        __CPROVER_atomic_end();
    }
}

/* Elsewhere other threads and other handlers see parts of it. The interrupted thread does not, nor one that comes when
   all others have ended; so a failure in a run with a handler is INCONCLUSIVE: that a signal comes is not modelled. */
void __sapa_signals_in_parts(int number)
{
    while (__sapa_unmodelled_bool("when a signal comes")) {
        void (*handler)(int), (*with_information)(int, void *, void *);
        __CPROVER_atomic_begin();
        handler = handlers[number];
        with_information = informed[number];
        if (ends_after_one[number]) {
            handlers[number] = 0;
            informed[number] = 0;
        }
        __CPROVER_atomic_end();
        run(number, handler, with_information);
    }
}

static void begin(int number) { __sapa_signals(number); }

/* What handles a signal from now on: null is nothing of the program. */
static void handle(int number, void (*handler)(int), void (*with_information)(int, void *, void *), int is_once)
{
    int starts = 0;
    __CPROVER_atomic_begin();
    handlers[number] = handler;
    informed[number] = with_information ? with_information : nothing_informed;
    ends_after_one[number] = (unsigned char)is_once;
    if ((handler || with_information) && !has_thread[number]) {
        has_thread[number] = 1;
        starts = 1;
    }
    __CPROVER_atomic_end();
    if (starts) {
    __CPROVER_ASYNC_1:
        begin(number);
    }
}

/* What has handled it: `SIG_DFL` or `SIG_IGN` where it was nothing of the program. */
static void *before(int number)
{
    void *handler;
    __CPROVER_atomic_begin();
    handler = handlers[number]                ? (void *)handlers[number]
              : is_informed(informed[number]) ? (void *)informed[number]
                                              : (void *)0;
    __CPROVER_atomic_end();
    return handler ? handler : (void *)(unsigned long)__sapa_unmodelled_bool("signal");
}

/* `SIG_DFL` and `SIG_IGN` are the numbers 0 and 1. */
static int is_handler(void (*handler)(int)) { return (unsigned long)handler > 1; }

static int invalid(void)
{
    *__errno_location() = EINVAL;
    return -1;
}

void *__sapa_signal(int number, void (*handler)(int), int is_allowed)
{
    if (!is_allowed) {
        invalid();
        return (void *)-1;
    }
    void *old = before(number);
    handle(number, is_handler(handler) ? handler : 0, 0, 0);
    return old;
}

/* The same for what is seen to be no handler. */
void *__sapa_no_signal(int number, int is_allowed)
{
    if (!is_allowed) {
        invalid();
        return (void *)-1;
    }
    void *old = before(number);
    __CPROVER_atomic_begin();
    handlers[number] = 0;
    informed[number] = 0;
    __CPROVER_atomic_end();
    return old;
}

int __sapa_sigaction(int number, const struct action *new, struct action *old, int is_allowed)
{
    if (number < 1 || number > SIGNALS || (new && !is_allowed))
        return invalid();
    struct action before_it = {0};
    if (old)
        *(void **)&before_it.handler = before(number);
    if (new) {
        void (*handler)(int) = new->handler;
        int is_informed = (new->flags & WITH_INFORMATION) != 0, is_once = (new->flags & once) != 0;
        if (!is_handler(handler))
            handle(number, 0, 0, 0);
        else if (is_informed)
            handle(number, 0, *(void (*const *)(int, void *, void *))&new->handler, is_once);
        else
            handle(number, handler, 0, is_once);
    }
    if (old) {
        old->handler = before_it.handler;
        for (int word = 0; word < (int)(128 / sizeof(long)); word++)
            old->held_back[word] = __sapa_unmodelled_ulong("sigaction");
        old->flags = __sapa_unmodelled_uint("sigaction");
        old->restorer = 0;
    }
    return 0;
}

/* ---- Signals that the program sends itself. What nothing handles may end the program. ---- */

static int is_handled(int number)
{
    int is;
    __CPROVER_atomic_begin();
    is = handlers[number] || is_informed(informed[number]);
    __CPROVER_atomic_end();
    return is;
}

static void take(int number)
{
    void (*handler)(int), (*with_information)(int, void *, void *);
    __CPROVER_atomic_begin();
    handler = handlers[number];
    with_information = informed[number];
    if (ends_after_one[number]) {
        handlers[number] = 0;
        informed[number] = 0;
    }
    __CPROVER_atomic_end();
    if (handler || is_informed(with_information))
        run(number, handler, with_information);
    else
        __CPROVER_assume(__sapa_unmodelled_bool("raise"));
}

/* It comes at once, to the thread that sends it. */
int __sapa_raise(int number)
{
    if (number < 0 || number > SIGNALS)
        return invalid();
    if (number)
        take(number);
    return 0;
}

/* It comes to some thread, and to which one is not modelled. */
int __sapa_kill(int process, int number)
{
    if (number < 0 || number > SIGNALS)
        return invalid();
    if (__sapa_unmodelled_bool("kill")) {
        int error = __VERIFIER_nondet_int();
        *__errno_location() = error > 0 ? error : 1;
        return -1;
    }
    if (is_handled(number) && __sapa_unmodelled_bool("kill"))
        take(number);
    return 0;
}

int __sapa_pthread_kill(unsigned long thread, int number)
{
    if (number < 0 || number > SIGNALS)
        return EINVAL;
    if (__sapa_unmodelled_bool("pthread_kill"))
        return ESRCH;
    if (is_handled(number) && __sapa_unmodelled_bool("pthread_kill"))
        take(number);
    return 0;
}

/* A wait until a handler has run, of which nothing is known. */
int __sapa_pause(void)
{
    __CPROVER_assume(__sapa_unmodelled_bool("pause"));
    *__errno_location() = EINTR;
    return -1;
}
