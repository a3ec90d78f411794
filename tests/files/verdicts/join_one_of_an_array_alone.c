// sound: FAILED
// One of the threads whose handles are in the array is also joined by itself, on another way: it counts its end for both.
#include <assert.h>
#include <pthread.h>

extern int nondet_int(void);

static pthread_t threads[100];
static int last;

static void *worker(void *unused)
{
    last = 1;
    return unused;
}

int main(void)
{
    int n = nondet_int();
    pthread_t first;

    if (n < 1 || n > 100)
        return 0;
    pthread_create(&first, NULL, worker, NULL);
    threads[0] = first;
    for (int i = 1; i < n; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    if (nondet_int()) {
        pthread_join(first, NULL);
    } else {
        for (int i = 0; i < n; i++)
            pthread_join(threads[i], NULL);
        assert(last == 0);
    }
    return 0;
}
