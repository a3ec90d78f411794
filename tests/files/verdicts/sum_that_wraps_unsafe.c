// precise: FAILED
// That `first + n <= size` says nothing of `first` where the sum wraps around.
#include <assert.h>
#include <pthread.h>

unsigned __VERIFIER_nondet_uint(void);

unsigned first, size = 100;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *take(void *unused)
{
    unsigned n = __VERIFIER_nondet_uint();
    pthread_mutex_lock(&lock);
    first = __VERIFIER_nondet_uint();
    if (first + n <= size)
        assert(first <= size);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
}
