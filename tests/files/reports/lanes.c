// One lane for each thread: who holds a lock, which stores wait, and which store a load reads from; beside each other where the width has
// room, else with rails.
// RUN: COLUMNS=110 sapa check --mm tso --lanes %s || echo "exit $?"
// RUN: COLUMNS=44 sapa check --lanes %s -DLOCKS || echo "exit $?"
// RUN: sapa check --mm tso -q --report %t.txt %s > %t.out || cat %t.txt | head -8
// RUN: sapa check --mm tso -q --report %t.svg %s > %t.out || grep -c '<path class="w"' %t.svg
#include <assert.h>
#include <pthread.h>

int ready, data, seen;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg)
{
#ifdef LOCKS
    pthread_mutex_lock(&m);
    data = data + 1;
    pthread_mutex_unlock(&m);
#else
    ready = 1;
    seen = data;
#endif
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
#ifdef LOCKS
    int before = data;
    pthread_mutex_lock(&m);
    data = before + 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    assert(data == 2);
#else
    data = 1;
    int late = ready;
    pthread_join(t, 0);
    assert(late || seen);
#endif
}
