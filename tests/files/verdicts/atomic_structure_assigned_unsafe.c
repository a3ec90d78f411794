// precise: FAILED --threads 1
// One structure is read and the other is written: two steps.
#include <pthread.h>
struct pair {
    int a, b;
};
_Atomic struct pair s, t;

void *writer(void *unused) {
    t = (struct pair){1, 1};
    s = (struct pair){2, 2};
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    s = t;
    pthread_join(thread, 0);
    struct pair now = s;
    __CPROVER_assert(now.a != 0, "what was written in between is lost");
}
