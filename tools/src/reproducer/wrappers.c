//! pthread_mutex_lock
SAPA_WRAP(pthread_mutex_lock, (pthread_mutex_t *o), (o))
//! pthread_mutex_trylock
SAPA_WRAP(pthread_mutex_trylock, (pthread_mutex_t *o), (o))
//! pthread_mutex_unlock
SAPA_WRAP(pthread_mutex_unlock, (pthread_mutex_t *o), (o))
//! pthread_mutex_init
SAPA_WRAP(pthread_mutex_init, (pthread_mutex_t *o, const pthread_mutexattr_t *a), (o, a))
//! pthread_spin_lock
SAPA_WRAP(pthread_spin_lock, (pthread_spinlock_t *o), (o))
//! pthread_spin_trylock
SAPA_WRAP(pthread_spin_trylock, (pthread_spinlock_t *o), (o))
//! pthread_spin_unlock
SAPA_WRAP(pthread_spin_unlock, (pthread_spinlock_t *o), (o))
//! pthread_spin_init
SAPA_WRAP(pthread_spin_init, (pthread_spinlock_t *o, int a), (o, a))
//! pthread_rwlock_rdlock
SAPA_WRAP(pthread_rwlock_rdlock, (pthread_rwlock_t *o), (o))
//! pthread_rwlock_tryrdlock
SAPA_WRAP(pthread_rwlock_tryrdlock, (pthread_rwlock_t *o), (o))
//! pthread_rwlock_wrlock
SAPA_WRAP(pthread_rwlock_wrlock, (pthread_rwlock_t *o), (o))
//! pthread_rwlock_trywrlock
SAPA_WRAP(pthread_rwlock_trywrlock, (pthread_rwlock_t *o), (o))
//! pthread_rwlock_unlock
SAPA_WRAP(pthread_rwlock_unlock, (pthread_rwlock_t *o), (o))
//! pthread_rwlock_init
SAPA_WRAP(pthread_rwlock_init, (pthread_rwlock_t *o, const pthread_rwlockattr_t *a), (o, a))
//! pthread_barrier_init
SAPA_WRAP(pthread_barrier_init, (pthread_barrier_t *o, const pthread_barrierattr_t *a, unsigned n), (o, a, n))
//! pthread_barrier_wait
/* The run says who passes when: it arrives, and then it passes. */
SAPA_OWN int sapa_pthread_barrier_wait(pthread_barrier_t *o)
{
    if (sapa_act('S', o, sizeof *o))
        sapa_more(o, sizeof *o);
    sapa_arrive();
    return 0;
}
//! pthread_once
SAPA_WRAP_TWICE(pthread_once, (pthread_once_t *o, void (*f)(void)), (o, f))
//! call_once
SAPA_OWN void sapa_call_once(once_flag *o, void (*f)(void))
{
    extern void sapa_real_call_once(once_flag *, void (*)(void)) __asm__("call_once");
    int is_there = sapa_act('S', o, sizeof *o), line = sapa_line;
    while (is_there && sapa_more(o, sizeof *o))
        ;
    sapa_real_call_once(o, f);
    for (sapa_line = is_there ? line : -1; sapa_more(o, sizeof *o);)
        ;
    sapa_arrive();
}
//! pthread_cond_wait
SAPA_WAIT(pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *o), pthread_mutex_t, "pthread_mutex_unlock", "pthread_mutex_lock")
//! cnd_wait
SAPA_WAIT(cnd_wait, (cnd_t *c, mtx_t *o), mtx_t, "mtx_unlock", "mtx_lock")
//! sem_init
SAPA_WRAP(sem_init, (sem_t *o, int a, unsigned n), (o, a, n))
//! sem_wait
SAPA_WRAP(sem_wait, (sem_t *o), (o))
//! sem_trywait
SAPA_WRAP(sem_trywait, (sem_t *o), (o))
//! sem_post
SAPA_WRAP(sem_post, (sem_t *o), (o))
//! mtx_lock
SAPA_WRAP(mtx_lock, (mtx_t *o), (o))
//! mtx_trylock
SAPA_WRAP(mtx_trylock, (mtx_t *o), (o))
//! mtx_unlock
SAPA_WRAP(mtx_unlock, (mtx_t *o), (o))
//! mtx_init
SAPA_WRAP(mtx_init, (mtx_t *o, int a), (o, a))
//! pthread_create
SAPA_OWN int sapa_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x)
{
    extern int sapa_real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) __asm__("pthread_create");
    int r = sapa_real_pthread_create(t, a, sapa_run, sapa_starts(f, x, 0));
    sapa_arrive();
    return r;
}
//! thrd_create
SAPA_OWN static int sapa_run_int(void *start) { return (int)(long)sapa_run(start); }
SAPA_OWN int sapa_thrd_create(thrd_t *t, thrd_start_t f, void *x)
{
    extern int sapa_real_thrd_create(thrd_t *, thrd_start_t, void *) __asm__("thrd_create");
    int r = sapa_real_thrd_create(t, sapa_run_int, sapa_starts((void *(*)(void *))(void (*)(void))f, x, 1));
    sapa_arrive();
    return r;
}
//! pthread_join
SAPA_JOIN(pthread_join, (pthread_t t, void **x))
//! thrd_join
SAPA_JOIN(thrd_join, (thrd_t t, int *x))
