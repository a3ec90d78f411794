// precise: SUCCESSFUL --engine auto
// Each node gets its value before anybody else knows of it, so that whatever node is read, its value is one of those that
// are stored.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
} *list;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int __VERIFIER_nondet_int(void);

void *inserter(void *unused) {
    struct node *node = malloc(sizeof *node);
    int value = __VERIFIER_nondet_int();
    node->value = value < 10 || value > 20 ? 15 : value;
    pthread_mutex_lock(&lock);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&lock);
    return unused;
}

void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    for (struct node *node = list; node; node = node->next)
        assert(node->value >= 10 && node->value <= 20);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t handle;
    while (1) {
        pthread_create(&handle, 0, inserter, 0);
        pthread_create(&handle, 0, reader, 0);
    }
}
