// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// precise: FAILED --property races -DWHOLE
// Two threads have a member each, which is no race; a bit-field shares its integer, and the whole is both.
#include <pthread.h>
#include <string.h>
struct {
#ifdef BROKEN
    int first : 4, second : 4;
#else
    int first, second;
#endif
} pair;

void *one(void *arg) {
    pair.first = 1;
    return 0;
}

void *two(void *arg) {
#ifdef WHOLE
    memset(&pair, 0, sizeof pair);
#else
    pair.second = 2;
#endif
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return pair.first + pair.second;
}
