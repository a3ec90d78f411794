// precise: SUCCESSFUL --property races
// precise: FAILED --property races -DBROKEN
// Each thread has a part of an array for itself, or one element more.
#include <pthread.h>
enum { THREADS = 2, SIZE = 2 };
int all[THREADS * SIZE];

void *fill(void *arg) {
    int id = (int)(long)arg;
#ifdef BROKEN
    for (int i = id * SIZE; i <= (id + 1) * SIZE && i < THREADS * SIZE; i++)
#else
    for (int i = id * SIZE; i < (id + 1) * SIZE; i++)
#endif
        all[i] = id;
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, fill, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return all[0];
}
