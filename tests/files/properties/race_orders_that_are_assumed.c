// RUN: sapa check --property races %s
// check: assuming that locks and atomic objects order as one object does that are elements of an array
// check-not: atomic structures
// check: VERIFICATION SUCCESSFUL
// RUN: sapa check --property races -DSTRUCTURE %s
// check: assuming that atomic sections, and operations on atomic structures, release and acquire whatever
// check: VERIFICATION SUCCESSFUL
// What orders more here than in C11, where both programs have a race: the verdict names it.
#include <pthread.h>
#include <stdatomic.h>

static int data;

#ifdef STRUCTURE
struct pair { int a, b; };
static _Atomic struct pair shared;

static void *teller(void *unused) {
    struct pair new = {1, 1};
    data = 1;
    atomic_exchange_explicit(&shared, new, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    struct pair new = {2, 2};
    struct pair old = atomic_exchange_explicit(&shared, new, memory_order_acquire);
    if (old.a == 1)
        data = 2;
    return unused;
}
#else
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int flag;

static void with_lock(int number) {
    pthread_mutex_lock(&locks[number]);
    pthread_mutex_unlock(&locks[number]);
}

static void *teller(void *own) {
    data = 1;
    with_lock(own != NULL);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return NULL;
}

static void *reader(void *own) {
    if (atomic_load_explicit(&flag, memory_order_acquire)) {
        with_lock(own != NULL);
        data = 2;
    }
    return NULL;
}
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, reader, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
