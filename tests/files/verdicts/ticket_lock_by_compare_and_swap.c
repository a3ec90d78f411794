// precise: SUCCESSFUL --signed-overflow absent
// A number is drawn by trying; functions take and release, and are called at two places.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct lock {
    atomic_int next, now;
};

struct lock l;
int data;

void take(struct lock *l)
{
    int ticket = atomic_load(&l->next);
    while (!atomic_compare_exchange_weak(&l->next, &ticket, ticket + 1)) {
    }
    while (atomic_load(&l->now) != ticket) {
    }
}

void release(struct lock *l)
{
    atomic_fetch_add(&l->now, 1);
}

void *writer(void *argument)
{
    take(&l);
    data = 1;
    assert(data == 1);
    data = 0;
    release(&l);
    return 0;
}

void *reader(void *argument)
{
    take(&l);
    assert(data == 0);
    release(&l);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1) {
        pthread_create(&t, 0, writer, 0);
        pthread_create(&t, 0, reader, 0);
    }
}
