// precise: SUCCESSFUL
// precise: SUCCESSFUL --atomicity statement
// precise: FAILED -DWRONG
// What the attribute `cleanup` names is called on each way out of a scope, the last variable's first.
#include <assert.h>
#include <pthread.h>

static int trail;

static void leave(int *digit) { trail = trail * 10 + *digit; }

#define LEAVES(digit) __attribute__((cleanup(leave))) int v##digit = digit

static int value_before_it(int early)
{
    LEAVES(1);
    if (early)
        return trail;
    int later __attribute__((cleanup(leave))) = 2;
    later = 3;
    return trail + later;
}

static void in_loops(void)
{
    for (LEAVES(4); v4 < 10; v4++) {
        LEAVES(5);
        if (v4 == 4)
            continue;
        while (1) {
            LEAVES(6);
            break;
        }
        switch (v4) {
        case 5: {
            LEAVES(7);
            break;
        }
        default:;
        }
        if (v4 == 5)
            break;
    }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void unlock(pthread_mutex_t **held) { pthread_mutex_unlock(*held); }

#define GUARD(of) __attribute__((cleanup(unlock))) pthread_mutex_t *guard = (pthread_mutex_lock(of), of)

static int counter, is_inside;

static int increment(int limit)
{
    GUARD(&mutex);
    assert(!is_inside);
    is_inside = 1;
    if (counter >= limit) {
        is_inside = 0;
        return 0;
    }
    is_inside = 0;
    return ++counter;
}

static void *counts(void *argument)
{
    increment(2);
    return argument;
}

int main(void)
{
    pthread_t thread;
    assert(value_before_it(1) == 0 && trail == 1);
    assert(value_before_it(0) == 4 && trail == 131);
    trail = 0;
    in_loops();
    assert(trail == 56755);
    trail = 0;
    int value = ({ LEAVES(8); v8 + trail; });
    assert(value == 8 && trail == 8);
    pthread_create(&thread, 0, counts, 0);
    increment(2);
    pthread_join(thread, 0);
    assert(counter == 2);
#ifdef WRONG
    assert(trail == 7);
#endif
    return 0;
}
