// precise: FAILED --threads 1
// NOTE assuming that divisions and shifts are defined
// The failure comes before the shift, and other threads go on while one has not yet reached it.
#include <pthread.h>

int distance = 40, announced;

void *shift(void *unused) {
    announced = 1;
    unsigned moved = 1u << distance;
    announced = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, shift, 0);
    int now = announced;
    __CPROVER_assert(now != 2, "nobody gets past the shift");
    __CPROVER_assert(now != 1, "but to it");
}
