// precise: SUCCESSFUL/SUCCESSFUL/FAILED --signed-overflow absent
// A thread's next ticket is in the variable that its last one was in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int tail;
int head, users;

void *client(void *argument)
{
    for (;;) {
        int my = atomic_fetch_add(&tail, 1);
        while (head != my) {
        }
        users++;
        assert(users == 1);
        users--;
        head = my + 1;
    }
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, client, 0);
}
