// RUN: cd %d && sapa check --engine bounded -q list.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -DBROKEN list.c 2>&1; echo $?
// Two threads push three nodes each: an allocation that is executed many times, and pointers that
// are read from memory.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node { int value; struct node *next; } *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument)
{
    for (int i = 1; i <= 3; i++) {
        struct node *new = malloc(sizeof *new);
        new->value = i;
#ifndef BROKEN
        pthread_mutex_lock(&lock);
#endif
        new->next = head;
        head = new;
#ifndef BROKEN
        pthread_mutex_unlock(&lock);
#endif
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    int sum = 0;
    for (struct node *node = head; node; node = node->next)
        sum += node->value;
    assert(sum == 12);
    return 0;
}
