// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// precise: FAILED --property races -DTWICE
// precise: SUCCESSFUL --property races -DOTHER
// To free an object is to write to it: behind the lock that gives it to its last user it is no race, nor is it with another object.
#include <pthread.h>
#include <stdlib.h>
struct node {
    int value, weight;
};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node *current;

void *reader(void *arg) {
    pthread_mutex_lock(&lock);
    struct node *mine = current;
#ifdef BROKEN
    pthread_mutex_unlock(&lock);
    return (void *)(long)mine->weight;
#elif defined TWICE
    pthread_mutex_unlock(&lock);
    free(mine);
    return 0;
#else
    long weight = mine->weight;
    pthread_mutex_unlock(&lock);
    return (void *)weight;
#endif
}

int main(void) {
    pthread_t thread;
    struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    if (!first || !second)
        return 1;
    first->weight = second->weight = 1;
    current = first;
    pthread_create(&thread, 0, reader, 0);
#ifdef OTHER
    free(second);
    pthread_join(thread, 0);
#else
    pthread_mutex_lock(&lock);
    current = second;
    pthread_mutex_unlock(&lock);
    free(first);
    pthread_join(thread, 0);
#endif
    free(0);
    return 0;
}
