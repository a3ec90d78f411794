// A stack of five places, which one thread fills and another empties; a flag says that it is filled.
//
// Safe: the stack is emptied when the flag is set, after the last push, so the items come out in reversed order.
// Broken: the flag is set before the last push, and the other thread may begin with the item below.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 5

static int stack[SIZE];
static int top;
static atomic_int filled;

static void push(int item)
{
    assert(top < SIZE);
    stack[top++] = item;
}

static int pop(void)
{
    assert(top > 0);
    return stack[--top];
}

static void *fill(void *arg)
{
    (void)arg;
    for (int i = 0; i < SIZE; i++) {
#ifdef BROKEN
        if (i == SIZE - 1)
            atomic_store(&filled, 1);
#endif
        push(2 * i);
    }
    atomic_store(&filled, 1);
    return NULL;
}

static void *empty(void *arg)
{
    (void)arg;
    while (!atomic_load(&filled))
        ;
    for (int i = SIZE - 1; i >= 0; i--) {
        int item = pop();
        assert(item == 2 * i);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, fill, NULL);
    pthread_create(&b, NULL, empty, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
