// Two threads put two nodes each at the front of a linked list; main walks through it.
//
// Safe: the old head is read and the new one stored under one lock, so no node is lost: four nodes whose values add to 10.
// Broken: the old head is read before the lock is taken, and nodes put in between are cut off.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = value;
#ifdef BROKEN
    node->next = head;
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    node->next = head;
#endif
    head = node;
    pthread_mutex_unlock(&lock);
}

static void *fill(void *arg)
{
    int first = *(int *)arg;
    push(first);
    push(first + 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int one = 1, three = 3;
    int sum = 0;
    pthread_create(&a, NULL, fill, &one);
    pthread_create(&b, NULL, fill, &three);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    while (head != NULL) {
        struct node *node = head;
        head = node->next;
        sum += node->value;
        free(node);
    }
    assert(sum == 10);
    return 0;
}
