/* No store jumps its thread's buffer: the last store of a thread to an object is what remains, however it stores.
 *
 *     sapa check one_object.c -DFILLED
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct pair {
    int a, b;
};

int x = 0;
struct pair pair = {0, 0};

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static void set(int *object, int value)
{
    *object = value;
}

void *writer(void *arg)
{
    int *pointer = &x, two = 2;
    unsigned char *bytes = (unsigned char *)&x;
    struct pair both = {1, 2};

    x = 1;
#if defined POINTER
    *pointer = 2;
#elif defined UNKNOWN_POINTER
    if (__VERIFIER_nondet_int())
        pointer = &pair.b;
    *pointer = 2;
#elif defined CALLED
    set(&x, 2);
#elif defined RELAXED
    __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
#elif defined RELEASE
    __atomic_store_n(&x, 2, __ATOMIC_RELEASE);
#elif defined EXCHANGE
    __sync_bool_compare_and_swap(&x, 1, 2);
#elif defined SECTION
    __VERIFIER_atomic_begin();
    x = x + 1;
    __VERIFIER_atomic_end();
#elif defined BYTE
    bytes[0] = 2;
#elif defined COPIED
    memcpy(&x, &two, sizeof x);
#elif defined FILLED
    memset(&x, 0, sizeof x);
    x = x + 2;
#elif defined CLEARED
    memset(&x, 0, sizeof x);
    two = x;
    bytes[0] = two + 2;
#elif defined STRUCTURE
    pair.b = 1;
    pair = both;
    x = pair.b;
#endif
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
#if defined UNKNOWN_POINTER
    assert((x == 2 && pair.b == 0) || (x == 1 && pair.b == 2));
#elif defined STRUCTURE
    assert(x == 2 && pair.a == 1 && pair.b == 2);
#else
    assert(x == 2);
#endif
}
