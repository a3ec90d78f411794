// covers: c11-threads
// expect: successful
// threads: 2
#include <assert.h>
#include <threads.h>

mtx_t m;
int x;

int worker(void *arg)
{
    mtx_lock(&m);
    x++;
    mtx_unlock(&m);
    return *(int *)arg;
}

int main(void)
{
    thrd_t a, b;
    int n = 5, r, s;
    mtx_init(&m, mtx_plain);
    thrd_create(&a, worker, &n);
    thrd_create(&b, worker, &n);
    thrd_join(a, &r);
    thrd_join(b, &s);
    assert(x == 2 && r == 5 && s == 5);
    mtx_destroy(&m);
    return 0;
}
