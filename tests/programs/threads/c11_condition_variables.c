// covers: c11-threads
// expect: successful
// threads: 1
#include <assert.h>
#include <threads.h>

mtx_t m;
cnd_t c;
int ready;

int worker(void *arg)
{
    mtx_lock(&m);
    ready = 1;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    thrd_exit(3);
}

int main(void)
{
    thrd_t a;
    int r;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&a, worker, 0);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    thrd_join(a, &r);
    assert(r == 3);
    return 0;
}
