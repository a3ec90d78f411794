// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// A node gets its contents before others know of it, or behind that, where the lock is given back.
#include <pthread.h>
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
} *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *push(void *arg) {
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    pthread_mutex_lock(&m);
    node->next = head;
    head = node;
    pthread_mutex_unlock(&m);
#ifdef BROKEN
    node->value = 2;
#endif
    return 0;
}

void *sum(void *arg) {
    long sum = 0;
    pthread_mutex_lock(&m);
    for (struct node *node = head; node; node = node->next)
        sum += node->value;
    pthread_mutex_unlock(&m);
    return (void *)sum;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, push, 0);
    pthread_create(&two, 0, sum, 0);
    push(0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
