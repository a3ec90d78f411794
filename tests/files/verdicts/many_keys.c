// precise: SUCCESSFUL --threads 1
// Making a key does not fail.
#include <pthread.h>

int main(void) {
    pthread_key_t key;
    for (int i = 0; i < 40; i++)
        __CPROVER_assert(pthread_key_create(&key, 0) == 0, "there is room");
}
