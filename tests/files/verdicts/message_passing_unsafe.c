// precise: FAILED --threads 2
// The flag is there before the data.
#include <assert.h>
#include <pthread.h>

int data, flag;

void *first(void *unused) {
    flag = 1;
    data = 7;
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
