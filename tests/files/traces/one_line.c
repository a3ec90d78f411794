// What happens twice on one line is shown twice: in two statements, and in two rounds of a loop.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>

struct { int in; } q;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int y = 2, z, n;

void *worker(void *argument)
{
    int id = 7, *p = &n;
    *p += id;
    return 0;
}

int main(void)
{
    pthread_t thread;
    y = q.in; z = q.in;
    y = 2;
    for (int i = 0; i < 2; i++) z += y;
    pthread_cond_signal(&c); pthread_cond_signal(&c);
    n = 0; n = 0;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(z != 4 || n == 0);
}
