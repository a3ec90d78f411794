// A circular buffer whose producer does not look whether it is full.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#define SIZE 2
struct ring { int items[SIZE]; unsigned head, tail; pthread_mutex_t lock; };
static struct ring ring = { .lock = PTHREAD_MUTEX_INITIALIZER };
static void put(struct ring *r, int item) {
    pthread_mutex_lock(&r->lock);
    r->items[r->tail % SIZE] = item;
    r->tail++;
    pthread_mutex_unlock(&r->lock);
}
static int get(struct ring *r, int *item) {
    int found = 0;
    pthread_mutex_lock(&r->lock);
    if (r->head != r->tail) {
        *item = r->items[r->head % SIZE];
        r->head++;
        found = 1;
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}
void *producer(void *unused) {
    for (int i = 1; i <= 3; i++)
        put(&ring, i);
    return 0;
}
int main(void) {
    pthread_t thread;
    int item;
    pthread_create(&thread, 0, producer, 0);
    if (get(&ring, &item))
        assert(item == 1);
    pthread_join(thread, 0);
}
