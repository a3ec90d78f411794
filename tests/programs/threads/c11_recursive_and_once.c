// covers: c11-threads
// expect: successful
// threads: 0
#include <assert.h>
#include <threads.h>

mtx_t m;
once_flag flag = ONCE_FLAG_INIT;
tss_t key;
int x;

void initialise(void)
{
    x = 1;
}

int main(void)
{
    int n;
    mtx_init(&m, mtx_plain | mtx_recursive);
    assert(mtx_lock(&m) == thrd_success);
    assert(mtx_trylock(&m) == thrd_success);
    mtx_unlock(&m);
    mtx_unlock(&m);
    call_once(&flag, initialise);
    call_once(&flag, initialise);
    assert(x == 1);
    tss_create(&key, 0);
    tss_set(key, &n);
    assert(tss_get(key) == &n);
    thrd_yield();
    assert(thrd_equal(thrd_current(), thrd_current()));
    return 0;
}
