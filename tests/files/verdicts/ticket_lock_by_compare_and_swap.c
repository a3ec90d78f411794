// precise: SUCCESSFUL --signed-overflow absent
// A number is drawn by trying.
#include <assert.h>
#include <pthread.h>

int next, serving, users;

int draw(void)
{
    int number;
    do {
        number = next;
    } while (!__sync_bool_compare_and_swap(&next, number, number + 1));
    return number;
}

void *worker(void *argument)
{
    int mine = draw();
    while (serving != mine) {
    }
    users++;
    assert(users == 1);
    users--;
    serving++;
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
