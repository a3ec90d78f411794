// The lock is given back between the check and the act: both threads take the last seat.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct hall {
    pthread_mutex_t door;
    int seats;
};
struct hall hall = {PTHREAD_MUTEX_INITIALIZER, 1};

void *visitor(void *unused)
{
    pthread_mutex_lock(&hall.door);
    bool is_free = hall.seats > 0;
    pthread_mutex_unlock(&hall.door);
    if (is_free) {
        pthread_mutex_lock(&hall.door);
        hall.seats--;
        assert(hall.seats >= 0);
        pthread_mutex_unlock(&hall.door);
    }
    return 0;
}

int main(void)
{
    pthread_t visitors[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&visitors[i], 0, visitor, 0);
    pthread_join(visitors[0], 0);
    pthread_join(visitors[1], 0);
}
