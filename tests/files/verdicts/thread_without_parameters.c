// precise: FAILED --threads 2
#include <pthread.h>
int x;
void *set() {
    x = 1;
    return 0;
}
void *skip(void *unused) { return 0; }

int main(void) {
    pthread_t thread;
    void *(*functions[2])(void *) = {set, skip};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, 0, functions[i], 0);
    __CPROVER_assert(x == 0, "it was started");
}
