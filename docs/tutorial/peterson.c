#include <assert.h>
#include <pthread.h>

int wants[2];
int turn;
int inside;

void enter(int me)
{
    int other = 1 - me;
    wants[me] = 1;
    turn = other;
    while (wants[other] && turn == other)
        ;
}

void leave(int me)
{
    wants[me] = 0;
}

void *left(void *unused)
{
    while (1) {
        enter(0);
        inside++;
        assert(inside == 1);
        inside--;
        leave(0);
    }
}

void *right(void *unused)
{
    while (1) {
        enter(1);
        inside++;
        assert(inside == 1);
        inside--;
        leave(1);
    }
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
