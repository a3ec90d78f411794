// A queue of linked nodes on the heap with a lock for each end, as Michael and Scott describe it; one thread puts, one takes.
//
// Safe: a dummy node separates the ends; a node is linked when its value is written, and values come out in order.
// Broken: the node is linked before its value is written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ITEMS 3

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node *head, *tail;
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;

static struct node *new_node(void)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = 0;
    node->next = NULL;
    return node;
}

static void put(int value)
{
    struct node *node = new_node();
    pthread_mutex_lock(&tail_lock);
#ifdef BROKEN
    tail->next = node;
    node->value = value;
#else
    node->value = value;
    tail->next = node;
#endif
    tail = node;
    pthread_mutex_unlock(&tail_lock);
}

static int take(int *value)
{
    pthread_mutex_lock(&head_lock);
    struct node *dummy = head;
    struct node *first = dummy->next;
    if (first == NULL) {
        pthread_mutex_unlock(&head_lock);
        return 0;
    }
    *value = first->value;
    head = first;
    pthread_mutex_unlock(&head_lock);
    free(dummy);
    return 1;
}

static void *produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    return NULL;
}

static void *consume(void *arg)
{
    (void)arg;
    for (int expected = 1; expected <= ITEMS; expected++) {
        int value;
        while (!take(&value))
            ;
        assert(value == expected);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    head = tail = new_node();
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    free(head);
    return 0;
}
