// precise: SUCCESSFUL --threads 3
// What threads end with, by whichever way, is what their joins give.
#include <pthread.h>
int shared;

void *doubled(void *argument) {
    return (void *)((long)argument * 2);
}

void *seven(void *unused) {
    pthread_exit((void *)7);
}

void *decided(void *unused) {
    shared++;
    if (shared > 0)
        return (void *)1;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    void *r, *s, *t;
    pthread_create(&a, 0, doubled, (void *)21);
    pthread_create(&b, 0, seven, 0);
    pthread_create(&c, 0, decided, 0);
    pthread_join(c, &t);
    pthread_join(a, &r);
    pthread_join(b, &s);
    __CPROVER_assert((long)r == 42 && (long)s == 7 && t != 0, "each its own");
}
