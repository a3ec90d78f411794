/* Queue with a dummy node, one producer and one consumer, safe. After Michael and Scott: Simple, fast,
 * and practical non-blocking and blocking concurrent queue algorithms (1996)
 *
 * Assertion: what is taken out was put in.
 *
 *     sapa check ms_queue_safe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

struct node {
    struct node *next;
    int value;
};

struct node nodes[2];
struct node *head = &nodes[0], *tail = &nodes[0];

void *producer(void *arg)
{
    struct node *own = &nodes[1];

    own->value = 3;
    struct node *last = tail;
    last->next = own;
    tail = own;
    return 0;
}

void *consumer(void *arg)
{
    struct node *dummy = head;
    struct node *next = dummy->next;

    if (next) {
        head = next;
        assert(next->value == 3);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, producer, 0);
    pthread_create(&t, 0, consumer, 0);
}
