// sound: FAILED
// Each handle is in the array twice (the second time as another word for it), so that two joins wait for one thread.
#include <assert.h>
#include <pthread.h>

extern int nondet_int(void);

static pthread_t threads[2000];
static int done;

static void *worker(void *unused)
{
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    int n = nondet_int();

    if (n < 2 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        threads[2 * i] = t;
        if (i == 0)
            threads[1] = t;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(__atomic_load_n(&done, __ATOMIC_SEQ_CST) >= 2);
    return 0;
}
