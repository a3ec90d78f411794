/* Stack with nodes, a pushing and a popping thread, safe. After Treiber: Systems programming: coping
 * with parallelism (1986)
 *
 * Assertion: what is popped was pushed.
 *
 *     sapa check treiber_stack_safe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

struct node {
    struct node *next;
    int value;
};

struct node nodes[2];
struct node *top = 0;

static void push(struct node *own, int value)
{
    own->value = value;
    while (1) {
        struct node *seen = top;
        own->next = seen;
        if (__sync_bool_compare_and_swap(&top, seen, own))
            return;
    }
}

void *producer(void *arg)
{
    push(&nodes[0], 7);
    push(&nodes[1], 7);
    return 0;
}

void *consumer(void *arg)
{
    while (1) {
        struct node *seen = top;
        if (seen) {
            struct node *next = seen->next;
            if (__sync_bool_compare_and_swap(&top, seen, next))
                assert(seen->value == 7);
        }
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
}
