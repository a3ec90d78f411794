// precise: FAILED --threads 2
// The result is what the thread read, not what is there when it is joined.
#include <pthread.h>
int shared;

void *reader(void *unused) {
    return (void *)(long)shared;
}

void *writer(void *unused) {
    shared = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    void *result;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(b, 0);
    pthread_join(a, &result);
    __CPROVER_assert((long)result == shared, "it may have been before");
}
