/* A thread stores in a loop that has no fence on some way around: any number of its stores may wait.
 *
 * Assertions: it sees what it has stored last, and others see what the memory model lets them.
 *
 *     sapa check --mm tso endless.c -DOWN
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x = 0, y = 0, done = 0, stop = 0, mine = 0, inside = 0;
int alive0 = 0, alive1 = 0, flag0 = 0, flag1 = 0;
int *pointer = &x;
union { int whole; unsigned char part[4]; } both;

#if defined NO_FENCE
#define FENCE
#else
#define FENCE __sync_synchronize()
#endif
#if defined FENCES
#define SECOND_FENCE __sync_synchronize()
#else
#define SECOND_FENCE
#endif

void *storing(void *arg)
{
#if defined OWN
    // It sees what it has stored last, and no more can be seen by others than it stores.
    for (;;) {
        x = 1;
        x = 2;
        assert(x == 2);
        if (y)
            x = 3;
    }
#elif defined PART
    // Also where it reads a part of that, or what it has stored in parts.
    while (!stop) {
        both.whole = 0x01010101;
        both.part[0] = 2;
        assert(both.part[1] == 1);
        assert((both.whole & 255) == 2);
    }
#elif defined MESSAGE
    // What is stored first reaches memory first, but under PSO.
    for (;;) {
        x = 1;
#if defined RELEASE
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
#else
        done = 1;
#endif
        if (y)
            mine = 1;
    }
#elif defined FENCE_BEHIND || defined NO_FENCE_BEHIND
    // A fence waits for all of them.
    while (!stop) {
        x = 1;
        x = 2;
        mine = y;
    }
    x = 2;
#if defined FENCE_BEHIND
    __sync_synchronize();
#endif
    done = 1;
    for (;;)
        mine = y;
#elif defined END
    // So does the end of the thread.
    while (!stop) {
        x = 1;
        x = 2;
        mine = y;
    }
    x = 3;
#elif defined POINTER
    // Where each store waits with an address of its own.
    for (;;) {
        *pointer = 1;
        if (!y)
            assert(*pointer == 1);
        pointer = x ? &x : &inside;
    }
#elif defined EXCLUSION
    // Flags that others have to see before it goes on; that it is alive they may see late.
    for (;;) {
        alive0 = 1;
        if (alive1) {
            flag0 = 1;
            FENCE;
            if (!flag1) {
                inside = 1;
                assert(inside == 1);
                SECOND_FENCE;
            }
            flag0 = 0;
        }
    }
#endif
    return 0;
}

void *other(void *arg)
{
    for (;;) {
        alive1 = 1;
        if (alive0) {
            flag1 = 1;
            FENCE;
            if (!flag0) {
                inside = 2;
                assert(inside == 2);
                SECOND_FENCE;
            }
            flag1 = 0;
        }
    }
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, storing, 0);
#if defined EXCLUSION
    pthread_create(&u, 0, other, 0);
    return 0;
#endif
    y = 1;
#if defined OWN
    assert(x <= 3);
#elif defined MESSAGE || defined FENCE_BEHIND || defined NO_FENCE_BEHIND
    stop = 1;
    if (done)
#if defined MESSAGE
        assert(x == 1);
#else
        assert(x == 2);
#endif
#elif defined END
    stop = 1;
    pthread_join(t, 0);
    assert(x == 3);
#elif defined POINTER
    assert(inside < 2);
#elif defined PART
    stop = 1;
    assert(both.whole == 0 || both.part[1] == 1);
#endif
    return 0;
}
