/* What pthreads and C11 threads have beyond the IR's operations. The layouts
   are glibc's on x86-64 where a static initialiser sets them. */

enum { EPERM = 1, EAGAIN = 11, EBUSY = 16, EINVAL = 22, EDEADLK = 35, ETIMEDOUT = 110 };
enum { NORMAL, RECURSIVE, ERROR_CHECK, ADAPTIVE };

/* ---- Mutexes whose kind matters ---- */

struct mutex {
    int lock;
    unsigned count; /* How often its owner holds a recursive one, less one. */
    int owner;      /* The handle of the thread that holds it, or 0. */
    unsigned users;
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

/* A wait may end at any moment, so it is an unlock and a lock. */
int __sapa_pthread_cond_wait(void *condition, void *object)
{
    struct mutex *mutex = object;
    unsigned count = mutex->count;
    mutex->count = 0;
    mutex->owner = 0;
    __sapa_unlock(&mutex->lock);
    __sapa_lock(&mutex->lock);
    mutex->owner = (int)pthread_self();
    mutex->count = count;
    return 0;
}

int __sapa_cnd_wait(void *condition, void *object)
{
    return __sapa_pthread_cond_wait(condition, object);
}

int __sapa_mtx_init(void *object, int kind)
{
    int attributes = kind & 1 ? RECURSIVE : NORMAL;
    return __sapa_pthread_mutex_init(object, &attributes);
}

int __sapa_mtx_lock(void *object)
{
    return __sapa_pthread_mutex_lock(object);
}

int __sapa_mtx_trylock(void *object)
{
    return __sapa_pthread_mutex_trylock(object) ? 1 : 0;
}

int __sapa_mtx_unlock(void *object)
{
    return __sapa_pthread_mutex_unlock(object);
}

/* ---- Waiting with a limit: the time may be over at any moment of a wait ---- */

int pthread_mutex_timedlock(void *mutex, const void *time)
{
    if (!pthread_mutex_trylock(mutex))
        return 0;
    if (__VERIFIER_nondet_bool())
        return ETIMEDOUT;
    return pthread_mutex_lock(mutex);
}

int mtx_timedlock(void *mutex, const void *time)
{
    if (!mtx_trylock(mutex))
        return 0;
    if (__VERIFIER_nondet_bool())
        return 4; /* thrd_timedout */
    return mtx_lock(mutex);
}

int pthread_cond_timedwait(void *condition, void *mutex, const void *time)
{
    pthread_cond_wait(condition, mutex);
    return __VERIFIER_nondet_bool() ? ETIMEDOUT : 0;
}

int cnd_timedwait(void *condition, void *mutex, const void *time)
{
    cnd_wait(condition, mutex);
    return __VERIFIER_nondet_bool() ? 4 : 0;
}

/* ---- Read-write locks: -1 for a writer, else the number of readers ---- */

int pthread_rwlock_tryrdlock(void *lock)
{
    int *cell = lock, result = EBUSY;
    __CPROVER_atomic_begin();
    if (*cell != -1) {
        *cell = *cell + 1;
        result = 0;
    }
    __CPROVER_atomic_end();
    return result;
}

int pthread_rwlock_trywrlock(void *lock)
{
    int *cell = lock, result = EBUSY;
    __CPROVER_atomic_begin();
    if (*cell == 0) {
        *cell = -1;
        result = 0;
    }
    __CPROVER_atomic_end();
    return result;
}

int pthread_rwlock_timedrdlock(void *lock, const void *time)
{
    if (!pthread_rwlock_tryrdlock(lock))
        return 0;
    if (__VERIFIER_nondet_bool())
        return ETIMEDOUT;
    return pthread_rwlock_rdlock(lock);
}

int pthread_rwlock_timedwrlock(void *lock, const void *time)
{
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

/* ---- Semaphores: their value ---- */

int __sapa_sem_init(void *semaphore, int shared, unsigned value)
{
    if (value > 0x7fffffff) {
        error_number = EINVAL;
        return -1;
    }
    *(unsigned *)semaphore = value;
    return 0;
}

/* Whether there was one to take. */
static int take(unsigned *cell)
{
    int taken = 0;
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

int sem_timedwait(void *semaphore, const void *time)
{
    if (take(semaphore))
        return 0;
    if (__VERIFIER_nondet_bool()) {
        error_number = ETIMEDOUT;
        return -1;
    }
    return sem_wait(semaphore);
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
    if (count == 0)
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
    __CPROVER_atomic_begin();
    first = *control == 0;
    if (first)
        *control = 1;
    __CPROVER_atomic_end();
    if (first) {
        routine();
        *control = 2;
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

/* ---- Thread-specific data, without destructors ---- */

enum { KEYS = 32 };
static unsigned next_key;
static _Thread_local void *values[KEYS];

int __sapa_key_create(unsigned *key)
{
    __CPROVER_atomic_begin();
    __CPROVER_assume(next_key < KEYS);
    *key = next_key;
    next_key = next_key + 1;
    __CPROVER_atomic_end();
    return 0;
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

int pthread_key_delete(unsigned key)
{
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
}
