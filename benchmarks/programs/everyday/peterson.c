// Peterson's lock for two threads, which enter three times each.
//
// Safe: a thread raises its flag and gives way; both cannot see the other's flag down or the turn given to them.
// Broken: the flag is raised after the turn was given, and both may enter.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static atomic_int turn;
static int visits;

static void *visit(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < 3; i++) {
#ifdef BROKEN
        turn = 1 - me;
        flag[me] = 1;
#else
        flag[me] = 1;
        turn = 1 - me;
#endif
        while (flag[1 - me] && turn == 1 - me)
            ;
        visits++;
        flag[me] = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = { 0, 1 };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(visits == 6);
    return 0;
}
