// precise: SUCCESSFUL --signed-overflow absent
// precise: SUCCESSFUL --signed-overflow absent -DAGAIN
// What was tried is waited with once it was drawn, without a copy of it.
#include <assert.h>
#include <pthread.h>

int next, serving, users;

void *worker(void *argument)
{
    int number;
#ifdef AGAIN
    for (;;)
#endif
    {
        do {
            number = next;
        } while (!__sync_bool_compare_and_swap(&next, number, number + 1));
        while (serving != number) {
        }
        users++;
        assert(users == 1);
        users--;
        serving = number + 1;
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
