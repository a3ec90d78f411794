#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int money;
};

struct account ann = { PTHREAD_MUTEX_INITIALIZER, 100 };
struct account bob = { PTHREAD_MUTEX_INITIALIZER, 100 };

void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->mutex);
    pthread_mutex_lock(&to->mutex);
    from->money -= amount;
    to->money += amount;
    pthread_mutex_unlock(&to->mutex);
    pthread_mutex_unlock(&from->mutex);
}

void *left(void *unused)
{
    transfer(&ann, &bob, 10);
    return 0;
}

void *right(void *unused)
{
    transfer(&bob, &ann, 20);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
