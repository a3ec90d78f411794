// precise: SUCCESSFUL --engine bounded
// precise: SUCCESSFUL
// NOTE assuming that handles of threads are numbers in the order of creation, each used once
// The handle of a thread that was joined may be that of the next one: an answer that rests on another one
// says so.
#include <assert.h>
#include <pthread.h>

void *worker(void *unused) { return 0; }

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, worker, 0);
    assert(!pthread_equal(a, b));
}
