// precise: FAILED --threads 1 -DNOT=1
// precise: FAILED --threads 1 -DNOT=2
// Of two keys, C leaves open whose destructor runs first.
#include <assert.h>
#include <pthread.h>

pthread_key_t one, two;
int order;

void destroy_one(void *value) { if (!order) order = 1; }
void destroy_two(void *value) { if (!order) order = 2; }

void *worker(void *unused) {
    pthread_setspecific(one, &order);
    pthread_setspecific(two, &order);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&one, destroy_one);
    pthread_key_create(&two, destroy_two);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(order != NOT);
}
