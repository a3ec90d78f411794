// precise: SUCCESSFUL --signed-overflow absent
// precise: SUCCESSFUL --signed-overflow absent -DWEAK
// precise: SUCCESSFUL --signed-overflow absent -DINCREMENT
// The number that is tried and the one that is drawn are one variable: before it is drawn, others have the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct lock { atomic_int head, tail; };
static struct lock lock;
int users;

#ifdef WEAK
#define TRY atomic_compare_exchange_weak
#else
#define TRY atomic_compare_exchange_strong
#endif

static int take(struct lock *l)
{
    int number = atomic_load(&l->tail);
    while (!TRY(&l->tail, &number, number + 1)) {
    }
    while (atomic_load(&l->head) != number) {
    }
    return number;
}

static void give(struct lock *l, int number)
{
#ifdef INCREMENT
    atomic_fetch_add(&l->head, 1);
#else
    atomic_store(&l->head, number + 1);
#endif
}

void *worker(void *argument)
{
    int mine = take(&lock);
    users++;
    assert(users == 1);
    users--;
    give(&lock, mine);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
