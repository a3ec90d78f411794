/* What pthreads and C11 threads have beyond the IR's operations. The layouts
   are glibc's on x86 where a static initialiser sets them. */

typedef unsigned long size_t;

enum { EPERM = 1, EINTR = 4, EAGAIN = 11, ENOMEM = 12, EBUSY = 16, EINVAL = 22, EDEADLK = 35 };
enum { EOVERFLOW = 75, ENOTSUP = 95, ETIMEDOUT = 110 };
enum { NORMAL, RECURSIVE, ERROR_CHECK, ADAPTIVE };

/* ---- Mutexes whose kind matters ---- */

struct mutex {
    int lock;
    unsigned count; /* How often its owner holds a recursive one, less one. */
    int owner;      /* The handle of the thread that holds it, or 0. */
    unsigned users[sizeof(long) == 8]; /* Behind the kind where `long` has 32 bits. */
    int kind;
};

int __sapa_pthread_mutexattr_init(void *attributes)
{
    *(int *)attributes = NORMAL;
    return 0;
}

int pthread_mutexattr_settype(void *attributes, int kind)
{
    if (kind < NORMAL || kind > ADAPTIVE)
        return EINVAL;
    *(int *)attributes = kind;
    return 0;
}

int pthread_mutexattr_gettype(const void *attributes, int *kind)
{
    *kind = *(const int *)attributes;
    return 0;
}

int __sapa_pthread_mutex_init(void *object, const void *attributes)
{
    struct mutex *mutex = object;
    mutex->lock = 0;
    mutex->count = 0;
    mutex->owner = 0;
    mutex->kind = attributes ? *(const int *)attributes : NORMAL;
    return 0;
}

int __sapa_pthread_mutex_lock(void *object)
{
    struct mutex *mutex = object;
    int self = (int)pthread_self();
    if (mutex->kind == ERROR_CHECK && mutex->owner == self)
        return EDEADLK;
    if (mutex->kind == RECURSIVE && mutex->owner == self) {
        mutex->count++;
        return 0;
    }
    __sapa_lock(&mutex->lock);
    mutex->owner = self;
    return 0;
}

int __sapa_pthread_mutex_trylock(void *object)
{
    struct mutex *mutex = object;
    int self = (int)pthread_self();
    if (mutex->kind == RECURSIVE && mutex->owner == self) {
        mutex->count++;
        return 0;
    }
    if (__sapa_try_lock(&mutex->lock))
        return EBUSY;
    mutex->owner = self;
    return 0;
}

int __sapa_pthread_mutex_unlock(void *object)
{
    struct mutex *mutex = object;
    if (mutex->kind == RECURSIVE || mutex->kind == ERROR_CHECK) {
        if (mutex->owner != (int)pthread_self())
            return EPERM;
        if (mutex->count) {
            mutex->count--;
            return 0;
        }
    }
    mutex->owner = 0;
    __sapa_unlock(&mutex->lock);
    return 0;
}

/* A wait may end at any moment, so it is an unlock and a lock. Where the unlock fails, so does the
   wait; a recursive mutex that is held several times stays locked. */
int __sapa_pthread_cond_wait(void *condition, void *mutex)
{
    int error = __sapa_pthread_mutex_unlock(mutex);
    return error ? error : __sapa_pthread_mutex_lock(mutex);
}

/* What C11 makes of an error. */
enum { THRD_BUSY = 1, THRD_ERROR = 2, THRD_TIMEDOUT = 4 };

static int thrd_result(int error)
{
    if (error == EBUSY)
        return THRD_BUSY;
    if (error == ETIMEDOUT)
        return THRD_TIMEDOUT;
    return error ? THRD_ERROR : 0;
}

int __sapa_cnd_wait(void *condition, void *mutex)
{
    return thrd_result(__sapa_pthread_cond_wait(condition, mutex));
}

int __sapa_mtx_init(void *object, int kind)
{
    int attributes = kind & 1 ? RECURSIVE : NORMAL;
    return __sapa_pthread_mutex_init(object, &attributes);
}

int __sapa_mtx_lock(void *mutex)
{
    return thrd_result(__sapa_pthread_mutex_lock(mutex));
}

int __sapa_mtx_trylock(void *mutex)
{
    return thrd_result(__sapa_pthread_mutex_trylock(mutex));
}

int __sapa_mtx_unlock(void *mutex)
{
    return thrd_result(__sapa_pthread_mutex_unlock(mutex));
}

/* ---- Waiting with a limit: the time may be over at any moment of a wait ---- */

struct timespec {
    long seconds;
    long nanoseconds;
};

/* Whether its part of a second is one. */
static int is_valid(const struct timespec *time)
{
    long nanoseconds = time->nanoseconds;
    return nanoseconds >= 0 && nanoseconds < 1000000000;
}

/* glibc takes a free mutex whatever the time is. */
static int lock_until(void *mutex, const struct timespec *time)
{
    if (!pthread_mutex_trylock(mutex))
        return 0;
    if (!is_valid(time))
        return EINVAL;
    if (__VERIFIER_nondet_bool()) {
        __sapa_sleep();
        return ETIMEDOUT;
    }
    return pthread_mutex_lock(mutex);
}

int pthread_mutex_timedlock(void *mutex, const void *time)
{
    return lock_until(mutex, time);
}

int __sapa_pthread_mutex_timedlock(void *object, const void *time)
{
    struct mutex *mutex = object;
    if (mutex->kind == ERROR_CHECK && mutex->owner == (int)pthread_self())
        return EDEADLK;
    return lock_until(object, time);
}

int mtx_timedlock(void *mutex, const void *time)
{
    return thrd_result(pthread_mutex_timedlock(mutex, time));
}

int pthread_cond_timedwait(void *condition, void *mutex, const void *time)
{
    int error;
    if (!is_valid(time))
        return EINVAL;
    error = pthread_cond_wait(condition, mutex);
    if (error)
        return error;
    if (!__VERIFIER_nondet_bool())
        return 0;
    __sapa_sleep();
    return ETIMEDOUT;
}

int cnd_timedwait(void *condition, void *mutex, const void *time)
{
    return thrd_result(pthread_cond_timedwait(condition, mutex, time));
}

/* With a clock of one's own choice: that of the time of day, or the one that only goes forward. */
int pthread_cond_clockwait(void *condition, void *mutex, int clock, const void *time)
{
    return clock == 0 || clock == 1 ? pthread_cond_timedwait(condition, mutex, time) : EINVAL;
}

int pthread_mutex_clocklock(void *mutex, int clock, const void *time)
{
    return clock == 0 || clock == 1 ? pthread_mutex_timedlock(mutex, time) : EINVAL;
}

/* ---- Read-write locks: -1 for a writer, else the number of readers ---- */

/* glibc only reads what is taken: there, stores that wait go on waiting. The number of readers is never that of
   a writer: POSIX lets a lock have a most. */
int pthread_rwlock_tryrdlock(void *lock)
{
    int *cell = lock, result = EBUSY;
    if (*cell == -1)
        return result;
    __CPROVER_atomic_begin();
    if (*cell != -1 && *cell != -2) {
        *cell = *cell + 1;
        result = 0;
    }
    __CPROVER_atomic_end();
    return result;
}

int pthread_rwlock_trywrlock(void *lock)
{
    int *cell = lock, result = EBUSY;
    if (*cell != 0)
        return result;
    __CPROVER_atomic_begin();
    if (*cell == 0) {
        *cell = -1;
        result = 0;
    }
    __CPROVER_atomic_end();
    return result;
}

/* Where the lock is free, POSIX lets an invalid time pass; glibc finds it, musl does not. */
int pthread_rwlock_timedrdlock(void *lock, const void *time)
{
    if (!is_valid(time))
        return __VERIFIER_nondet_bool() || pthread_rwlock_tryrdlock(lock) ? EINVAL : 0;
    if (!pthread_rwlock_tryrdlock(lock))
        return 0;
    if (__VERIFIER_nondet_bool())
        return ETIMEDOUT;
    return pthread_rwlock_rdlock(lock);
}

int pthread_rwlock_timedwrlock(void *lock, const void *time)
{
    if (!is_valid(time))
        return __VERIFIER_nondet_bool() || pthread_rwlock_trywrlock(lock) ? EINVAL : 0;
    if (!pthread_rwlock_trywrlock(lock))
        return 0;
    if (__VERIFIER_nondet_bool())
        return ETIMEDOUT;
    return pthread_rwlock_wrlock(lock);
}

/* ---- errno: each thread's own ---- */

static _Thread_local int error_number;

int *__errno_location(void)
{
    return &error_number;
}

/* What an allocation that may fail returns. */
void *__sapa_or_null(void *object)
{
    if (__VERIFIER_nondet_bool()) {
        error_number = ENOMEM;
        return 0;
    }
    return object;
}

/* ---- Sleeping, which a signal may end early ---- */

static int slept(void)
{
    if (__VERIFIER_nondet_bool())
        return EINTR;
    __sapa_sleep();
    return 0;
}

static int sleep_error(const struct timespec *time)
{
    if (time->seconds < 0 || !is_valid(time))
        return EINVAL;
    return slept();
}

/* Stores what is left of a time. */
static void store_rest(const struct timespec *time, struct timespec *rest)
{
    struct timespec left = {__VERIFIER_nondet_long(), __VERIFIER_nondet_long()};
    __CPROVER_assume(left.seconds >= 0 && is_valid(&left));
    __CPROVER_assume(left.seconds < time->seconds
                     || left.seconds == time->seconds && left.nanoseconds <= time->nanoseconds);
    *rest = left;
}

static int result_of_sleep(int error)
{
    if (!error)
        return 0;
    error_number = error;
    return -1;
}

int usleep(unsigned microseconds)
{
    return result_of_sleep(slept());
}

int nanosleep(const void *time, void *rest)
{
    int error = sleep_error(time);
    if (rest && error == EINTR)
        store_rest(time, rest);
    return result_of_sleep(error);
}

/* Until a time there is nothing left of it. */
int clock_nanosleep(int clock, int is_until, const void *time, void *rest)
{
    int error = sleep_error(time);
    if (rest && error == EINTR && !is_until)
        store_rest(time, rest);
    return error;
}

int thrd_sleep(const void *time, void *rest)
{
    int error = sleep_error(time);
    if (rest && error == EINTR)
        store_rest(time, rest);
    if (!error)
        return 0;
    return error == EINTR ? -1 : -2;
}

/* ---- Setters of what does not matter to the model: whether they take the value ---- */

static int zero_or_one(int value)
{
    return value == 0 || value == 1 ? 0 : EINVAL;
}

int pthread_attr_setdetachstate(void *attributes, int state)
{
    return zero_or_one(state);
}

/* Of the system's scope alone. */
int pthread_attr_setscope(void *attributes, int scope)
{
    return scope == 0 ? 0 : scope == 1 ? ENOTSUP : EINVAL;
}

int pthread_setconcurrency(int level)
{
    return level < 0 ? EINVAL : 0;
}

int pthread_mutexattr_setpshared(void *attributes, int shared)
{
    return zero_or_one(shared);
}

/* The clock of the time of day, or the one that only goes forward. */
int pthread_condattr_setclock(void *attributes, int clock)
{
    return zero_or_one(clock);
}

int pthread_condattr_setpshared(void *attributes, int shared)
{
    return zero_or_one(shared);
}

int pthread_rwlockattr_setpshared(void *attributes, int shared)
{
    return zero_or_one(shared);
}

int pthread_rwlockattr_setkind_np(void *attributes, int kind)
{
    return kind >= 0 && kind <= 2 ? 0 : EINVAL;
}

int pthread_barrierattr_setpshared(void *attributes, int shared)
{
    return zero_or_one(shared);
}

int pthread_attr_setinheritsched(void *attributes, int inherits)
{
    return zero_or_one(inherits);
}

int pthread_attr_setschedpolicy(void *attributes, int policy)
{
    return policy >= 0 && policy <= 2 ? 0 : EINVAL;
}

/* Which priorities there are depends on the policy. */
int pthread_attr_setschedparam(void *attributes, const void *parameters)
{
    return __sapa_unmodelled_bool("pthread_attr_setschedparam") ? EINVAL : 0;
}

int pthread_attr_setguardsize(void *attributes, size_t size) { return 0; }

/* ---- Getters of the same: what was set is not kept ---- */

int pthread_attr_getdetachstate(const void *attributes, int *state)
{
    *state = __sapa_unmodelled_bool("pthread_attr_getdetachstate");
    return 0;
}

int pthread_attr_getscope(const void *attributes, int *scope)
{
    *scope = 0;
    return 0;
}

int pthread_attr_getinheritsched(const void *attributes, int *inherits)
{
    *inherits = __sapa_unmodelled_bool("pthread_attr_getinheritsched");
    return 0;
}

int pthread_attr_getschedpolicy(const void *attributes, int *policy)
{
    *policy = __sapa_unmodelled_int("pthread_attr_getschedpolicy");
    return 0;
}

int pthread_attr_getschedparam(const void *attributes, void *parameters)
{
    *(int *)parameters = __sapa_unmodelled_int("pthread_attr_getschedparam");
    return 0;
}

int pthread_attr_getstacksize(const void *attributes, size_t *size)
{
    *size = __sapa_unmodelled_size_t("pthread_attr_getstacksize");
    return 0;
}

int pthread_attr_getguardsize(const void *attributes, size_t *size)
{
    *size = __sapa_unmodelled_size_t("pthread_attr_getguardsize");
    return 0;
}

int pthread_mutexattr_getpshared(const void *attributes, int *shared)
{
    *shared = __sapa_unmodelled_bool("pthread_mutexattr_getpshared");
    return 0;
}

int pthread_mutexattr_getprotocol(const void *attributes, int *protocol)
{
    *protocol = __sapa_unmodelled_int("pthread_mutexattr_getprotocol");
    return 0;
}

int pthread_condattr_getclock(const void *attributes, int *clock)
{
    *clock = __sapa_unmodelled_bool("pthread_condattr_getclock");
    return 0;
}

int pthread_getschedparam(unsigned long thread, int *policy, void *parameters)
{
    int error = __sapa_unmodelled_int("pthread_getschedparam");
    if (!error) {
        *policy = __sapa_unmodelled_int("pthread_getschedparam");
        *(int *)parameters = __sapa_unmodelled_int("pthread_getschedparam");
    }
    return error;
}

/* ---- Sets of signals. No signal comes that the program handles, and one that ends the program may come at any
   time; so it does not matter which are held back. ---- */

enum { SIGNALS = 64, OF_A_WORD = 8 * sizeof(long), WORDS = 1024 / OF_A_WORD };

int sigemptyset(void *set)
{
    for (int i = 0; i < WORDS; i++)
        ((unsigned long *)set)[i] = 0;
    return 0;
}

int sigfillset(void *set)
{
    for (int i = 0; i < WORDS; i++)
        ((unsigned long *)set)[i] = -1UL;
    return 0;
}

static int no_signal(int number)
{
    if (number > 0 && number <= SIGNALS)
        return 0;
    error_number = EINVAL;
    return 1;
}

int sigaddset(void *set, int number)
{
    if (no_signal(number))
        return -1;
    ((unsigned long *)set)[(number - 1) / OF_A_WORD] |= 1UL << (number - 1) % OF_A_WORD;
    return 0;
}

int sigdelset(void *set, int number)
{
    if (no_signal(number))
        return -1;
    ((unsigned long *)set)[(number - 1) / OF_A_WORD] &= ~(1UL << (number - 1) % OF_A_WORD);
    return 0;
}

int sigismember(const void *set, int number)
{
    if (no_signal(number))
        return -1;
    return ((const unsigned long *)set)[(number - 1) / OF_A_WORD] >> (number - 1) % OF_A_WORD & 1;
}

int pthread_sigmask(int how, const void *set, void *old)
{
    if (set && (how < 0 || how > 2))
        return EINVAL;
    if (old)
        for (int i = 0; i < WORDS; i++)
            ((unsigned long *)old)[i] = __sapa_unmodelled_ulong("pthread_sigmask");
    return 0;
}

int sigprocmask(int how, const void *set, void *old)
{
    int error = pthread_sigmask(how, set, old);
    if (!error)
        return 0;
    error_number = error;
    return -1;
}

/* A signal of the set that somebody sends. */
int sigwait(const void *set, int *number)
{
    int arrived = __VERIFIER_nondet_int();
    __CPROVER_assume(arrived > 0 && arrived <= SIGNALS && sigismember(set, arrived));
    *number = arrived;
    return 0;
}

/* ---- Cancelling: no thread is cancelled, but each has its state and type ---- */

static _Thread_local int cancel_state, cancel_type;

int pthread_setcancelstate(int state, int *old)
{
    if (state != 0 && state != 1)
        return EINVAL;
    if (old)
        *old = cancel_state;
    cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old)
{
    if (type != 0 && type != 1)
        return EINVAL;
    if (old)
        *old = cancel_type;
    cancel_type = type;
    return 0;
}

/* ---- Handlers of `pthread_cleanup_push`, which run where the thread ends by `pthread_exit` ---- */

enum { CLEANUPS = 8 };
static _Thread_local void (*cleanups[CLEANUPS])(void *);
static _Thread_local void *cleanup_arguments[CLEANUPS];
static _Thread_local unsigned pushed;

void __sapa_push_cleanup(void (*handler)(void *), void *argument)
{
    __CPROVER_assume(pushed < CLEANUPS);
    cleanups[pushed] = handler;
    cleanup_arguments[pushed] = argument;
    pushed++;
}

void __sapa_pop_cleanup(void) { pushed--; }

void __sapa_run_cleanups(void)
{
    while (pushed) {
        pushed--;
        cleanups[pushed](cleanup_arguments[pushed]);
    }
}

/* ---- Semaphores: their value ---- */

enum { MAX_COUNT = 0x7fffffff }; /* Of semaphores and barriers. */

int __sapa_sem_init(void *semaphore, int shared, unsigned value)
{
    if (value > MAX_COUNT) {
        error_number = EINVAL;
        return -1;
    }
    *(unsigned *)semaphore = value;
    return 0;
}

/* Whether there was one to take. If not, stores that wait go on waiting. */
static int take(unsigned *cell)
{
    int taken = 0;
    if (!*cell)
        return taken;
    __CPROVER_atomic_begin();
    if (*cell) {
        *cell = *cell - 1;
        taken = 1;
    }
    __CPROVER_atomic_end();
    return taken;
}

int sem_trywait(void *semaphore)
{
    if (take(semaphore))
        return 0;
    error_number = EAGAIN;
    return -1;
}

/* An invalid time is found as for read-write locks. */
int sem_timedwait(void *semaphore, const void *time)
{
    int error = ETIMEDOUT;
    if (!is_valid(time)) {
        if (!__VERIFIER_nondet_bool() && take(semaphore))
            return 0;
        error = EINVAL;
    } else if (take(semaphore)) {
        return 0;
    } else if (!__VERIFIER_nondet_bool()) {
        return sem_wait(semaphore);
    }
    error_number = error;
    return -1;
}

int __sapa_sem_post(void *semaphore)
{
    int *cell = semaphore, value;
    __CPROVER_atomic_begin();
    value = *cell;
    *cell = value + (value != MAX_COUNT);
    __CPROVER_atomic_end();
    if (value != MAX_COUNT)
        return 0;
    error_number = EOVERFLOW;
    return -1;
}

int sem_getvalue(void *semaphore, int *value)
{
    *value = *(int *)semaphore;
    return 0;
}

/* ---- Barriers ---- */

struct barrier {
    unsigned needed;
    unsigned arrived;
    unsigned generation;
};

int pthread_barrier_init(void *object, const void *attributes, unsigned count)
{
    struct barrier *barrier = object;
    if (count == 0 || count > MAX_COUNT)
        return EINVAL;
    barrier->needed = count;
    barrier->arrived = 0;
    barrier->generation = 0;
    return 0;
}

int pthread_barrier_wait(void *object)
{
    struct barrier *barrier = object;
    unsigned mine;
    int last;
    __CPROVER_atomic_begin();
    mine = barrier->generation;
    barrier->arrived = barrier->arrived + 1;
    last = barrier->arrived == barrier->needed;
    if (last) {
        barrier->arrived = 0;
        barrier->generation = mine + 1;
    }
    __CPROVER_atomic_end();
    if (last)
        return -1; /* PTHREAD_BARRIER_SERIAL_THREAD */
    __CPROVER_atomic_begin();
    __CPROVER_assume(barrier->generation != mine);
    __CPROVER_atomic_end();
    return 0;
}

/* ---- Once: 0, then 1 while it runs, then 2 ---- */

int pthread_once(int *control, void (*routine)(void))
{
    int first;
    /* Stores that wait go on waiting where it only reads that all is done. */
    if (*control == 2)
        return 0;
    __CPROVER_atomic_begin();
    first = *control == 0;
    if (first)
        *control = 1;
    __CPROVER_atomic_end();
    if (first) {
        routine();
        __CPROVER_atomic_begin();
        *control = 2;
        __CPROVER_atomic_end();
    } else {
        __CPROVER_atomic_begin();
        __CPROVER_assume(*control == 2);
        __CPROVER_atomic_end();
    }
    return 0;
}

void call_once(int *control, void (*routine)(void))
{
    pthread_once(control, routine);
}

/* ---- Thread-specific data ---- */

enum { KEYS = 32, ROUNDS = 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */ };
static unsigned __CPROVER_next_key;
static _Thread_local void *values[KEYS];
static void (*destructors[KEYS])(void *);

int __sapa_key_create(unsigned *key)
{
    __CPROVER_atomic_begin();
    __CPROVER_assume(__CPROVER_next_key < KEYS);
    *key = __CPROVER_next_key;
    __CPROVER_next_key = __CPROVER_next_key + 1;
    __CPROVER_atomic_end();
    return 0;
}

/* Nobody else knows the key before this returns. */
int __sapa_key_create_with(unsigned *key, void (*destructor)(void *))
{
    unsigned created;
    __sapa_key_create(&created);
    destructors[created] = destructor;
    *key = created;
    return 0;
}

/* The key of a value that is destroyed next in a round: any of those that are not `done`. */
static unsigned next_to_destroy(unsigned done)
{
    unsigned found = KEYS;
    for (unsigned key = 0; key < __CPROVER_next_key; key++)
        if (values[key] && !(done >> key & 1) && destructors[key]
            && (found == KEYS || __VERIFIER_nondet_bool()))
            found = key;
    return found;
}

/* At the end of a thread. Destructors may set values again. */
void __sapa_run_destructors(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        unsigned done = 0, key;
        while ((key = next_to_destroy(done)) != KEYS) {
            void *value = values[key];
            done |= 1u << key;
            values[key] = 0;
            destructors[key](value);
        }
        if (!done)
            return;
    }
}

int pthread_setspecific(unsigned key, const void *value)
{
    values[key] = (void *)value;
    return 0;
}

void *pthread_getspecific(unsigned key)
{
    return values[key];
}

/* Values stay, and nothing destroys them. */
int pthread_key_delete(unsigned key)
{
    destructors[key] = 0;
    return 0;
}

int tss_set(unsigned key, void *value)
{
    values[key] = value;
    return 0;
}

void *tss_get(unsigned key)
{
    return values[key];
}

void tss_delete(unsigned key)
{
    destructors[key] = 0;
}
