// precise: SUCCESSFUL --engine auto
// The list has any number of nodes, which the abstraction does not follow. What they hold does not matter to `busy`,
// which is 1 only while a thread has the lock.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
} *head;

int __VERIFIER_nondet_int(void);

int busy;
int large;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *insert(void *unused) {
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->value = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        assert(busy == 0);
        busy = 1;
        node->next = head;
        head = node;
        if (head->value > 3)
            large = 1;
        busy = 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t handle;
    while (1)
        pthread_create(&handle, 0, insert, 0);
}
