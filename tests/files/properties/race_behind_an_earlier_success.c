// precise: FAILED --property races
// precise: SUCCESSFUL --property races -DLOCKED
// precise: FAILED --property races -DTWO
// precise: SUCCESSFUL --property races -DTWO -DLOCKED
// A thread that has obtained a lock once is not behind who obtains it later: neither if its own next try fails, nor if that of
// another thread does which runs the same function, and tells it so.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int obtained, failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *unused) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#else
    data = 1;
    pthread_mutex_lock(&lock);
#endif
    return unused;
}

#ifdef TWO
static void *trying(void *is_first) {
    if (!is_first && atomic_load(&obtained) != 1)
        return NULL;
    if (pthread_mutex_trylock(&lock) == 0) {
        pthread_mutex_unlock(&lock);
        atomic_store(&obtained, 1);
        if (atomic_load(&failed) == 1)
            data = 2;
    } else {
        atomic_store(&failed, 1);
    }
    return NULL;
}
#else
static void *trying(void *unused) {
    int got = 0;
    for (int i = 0; i < 2; i++) {
        if (pthread_mutex_trylock(&lock) == 0) {
            pthread_mutex_unlock(&lock);
            got = 1;
        } else if (got) {
            data = 2;
        }
    }
    return unused;
}
#endif

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, trying, &data);
    pthread_create(&b, NULL, holder, NULL);
#ifdef TWO
    pthread_create(&c, NULL, trying, NULL);
#endif
    return 0;
}
