// precise: SUCCESSFUL/FAILED/FAILED
// An assertion of the program is one whatever its words are.
#include <pthread.h>

void __CPROVER_assert(int, const char *);
int x, y, a, b;

void *first(void *arg)
{
    x = 1;
    a = y;
    return 0;
}

void *second(void *arg)
{
    y = 1;
    b = x;
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    __CPROVER_assert(a || b, "no more stores wait in a buffer than its bound allows");
    return 0;
}
