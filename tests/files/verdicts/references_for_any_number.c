// precise: SUCCESSFUL --signed-overflow absent
// precise: SUCCESSFUL --signed-overflow absent -DFOUND
// precise: FAILED --signed-overflow absent -DFOUND -DBLIND
// precise: FAILED --signed-overflow absent -DLATE
// Who holds a reference keeps the object: given by the one who starts the thread, or taken while there is one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int nondet(void);

struct object {
    atomic_int references;
    int value;
};

struct object object = {1, 42};
atomic_int dead;

static void put(struct object *o)
{
    if (atomic_fetch_sub(&o->references, 1) == 1) {
        o->value = 0;
        dead = 1;
    }
}

static int found(struct object *o)
{
#ifdef BLIND
    atomic_fetch_add(&o->references, 1);
    return 1;
#else
    int now = atomic_load(&o->references);
    while (now > 0) {
        if (atomic_compare_exchange_weak(&o->references, &now, now + 1))
            return 1;
    }
    return 0;
#endif
}

void *user(void *argument)
{
#ifdef FOUND
    if (!found(&object))
        return 0;
#elif defined(LATE)
    atomic_fetch_add(&object.references, 1);
#endif
    assert(!dead);
    put(&object);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (nondet()) {
#if !defined(FOUND) && !defined(LATE)
        atomic_fetch_add(&object.references, 1);
#endif
        pthread_create(&thread, 0, user, 0);
    }
    put(&object);
    return 0;
}
