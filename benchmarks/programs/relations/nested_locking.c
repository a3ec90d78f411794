// A lock that its holder may take again: how often is counted.
//
// Safe: the depth is not negative and 0 where nobody holds it; each thread gives back as often as it takes. -DANY: any number.
// Broken: the lock is given back before the depth is 0.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int depth, inside;

void *visit(void *unused)
{
    for (;;) {
        int times = 0;
        pthread_mutex_lock(&lock);
        inside++;
        assert(depth == 0 && inside == 1);
        do {
            depth++;
            times++;
        } while (times < 40 && __VERIFIER_nondet_int());
        while (times > 0) {
            depth--;
            times--;
            assert(depth == times);
#ifdef BROKEN
            if (depth == 3)
                break;
#endif
        }
        inside--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, visit, 0);
    visit(0);
    return 0;
}
