// A recursive mutex that is locked again, and unlocked but still locked, says so.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

struct { int before; pthread_mutex_t m; } s;
int x;

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s.m, &kind);
    pthread_mutex_lock(&s.m);
    pthread_mutex_lock(&s.m);
    pthread_mutex_trylock(&s.m);
    x = 1;
    pthread_mutex_unlock(&s.m);
    pthread_mutex_unlock(&s.m);
    pthread_mutex_unlock(&s.m);
    assert(x == 0);
}
