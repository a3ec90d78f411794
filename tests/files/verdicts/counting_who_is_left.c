// precise: SUCCESSFUL
// precise: FAILED -DLATE

// `users` counts who uses the thing and, until it is closed, the thing itself: `users + closing` is at least 1, and at
// least 2 where a visitor has found it open. So `users` by itself is no less than 1 there, as `closing` is 0 or 1, and nobody
// who takes one away finds the last one as long as a visitor waits there.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int users = 1;
atomic_int closing, empty, released;

static int enter(void)
{
    int n = users;
    do {
        if (n >= 100)
            return 0;
    } while (!atomic_compare_exchange_strong(&users, &n, n + 1));
    return 1;
}

static void leave(void)
{
    if (atomic_fetch_sub(&users, 1) == 1)
        empty = 1;
}

void *visitor(void *argument)
{
#ifdef LATE
    if (closing || !enter())
        return argument;
#else
    if (!enter())
        return argument;
    if (closing) {
        leave();
        return argument;
    }
#endif
    assert(!released);
    leave();
    return argument;
}

void *closer(void *argument)
{
    if (atomic_exchange(&closing, 1))
        return argument;
    leave();
    while (!empty) {
    }
    released = 1;
    return argument;
}

int main(void)
{
    pthread_t t;
    while (1) {
        pthread_create(&t, 0, visitor, 0);
        pthread_create(&t, 0, closer, 0);
    }
}
