// precise: SUCCESSFUL --threads 2
// The data are there before the flag.
#include <assert.h>
#include <pthread.h>

int data, flag;

void *first(void *unused) {
    data = 7;
    flag = 1;
    return 0;
}

void *second(void *unused) {
    if (flag)
        assert(data == 7);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
