// RUN: cd %d && sapa check --engine bounded -q sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DLOCK='while (atomic_flag_test_and_set(&spin)) ;' -DUNLOCK='atomic_flag_clear(&spin);' sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DLOCK='' -DUNLOCK='' -DADD='atomic_fetch_add(&sum, mine)' sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DTHREADS=2 -DLOCK='int old = sum; while (!atomic_compare_exchange_weak(&sum, &old, old + mine)) ;' -DUNLOCK='' -DADD='0' sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DTHREADS=3 -DBROKEN sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DTHREADS=3 -DLOCK='if (mine != 2) pthread_mutex_lock(&mutex);' -DUNLOCK='if (mine != 2) pthread_mutex_unlock(&mutex);' sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DTHREADS=3 -DLOCK='if (mine == 2) pthread_mutex_unlock(&mutex); pthread_mutex_lock(&mutex);' sums.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -q -DTHREADS=2 -DLOCK='while (spin_is_taken) ; spin_is_taken = 1;' -DUNLOCK='spin_is_taken = 0;' sums.c 2>&1; echo $?
// Ten threads add their numbers to a sum, each twice, under a mutex, a spin lock, or by an atomic operation:
// in any order it is the same. Without a lock that keeps all others out an addition may be lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 10
#endif
#ifndef LOCK
#define LOCK pthread_mutex_lock(&mutex);
#endif
#ifndef UNLOCK
#define UNLOCK pthread_mutex_unlock(&mutex);
#endif
#ifndef ADD
#define ADD sum = sum + mine
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static atomic_int sum, spin_is_taken;

static void *add(void *argument)
{
    int mine = *(int *)argument;
    for (int i = 0; i < 2; i++) {
        LOCK
        ADD;
        UNLOCK
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], expected = 0;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        expected += 2 * numbers[i];
        pthread_create(&threads[i], 0, add, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
#ifdef BROKEN
    assert(sum < expected);
#else
    assert(sum == expected);
#endif
    return 0;
}
