typedef unsigned long pthread_t;
typedef struct { int __lock; unsigned __count; int __owner; unsigned __nusers; int __kind; } pthread_mutex_t;
typedef struct { int cell; } pthread_cond_t, pthread_rwlock_t, pthread_attr_t, pthread_mutexattr_t;
typedef struct { int cells[4]; } pthread_barrier_t;
typedef int pthread_once_t;
typedef unsigned pthread_key_t;
#define PTHREAD_MUTEX_INITIALIZER { 0 }
#define PTHREAD_COND_INITIALIZER { 0 }
#define PTHREAD_RWLOCK_INITIALIZER { 0 }
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_RECURSIVE 1
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
