// precise: SUCCESSFUL --threads 2
// precise: FAILED --threads 2 -DEXITS
// At the end of a thread its value is destroyed, whether its function returns or the thread is ended
// in a function that it calls; a value that is null is not.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;
int destroyed[2], values[2];

void destroy(void *value) {
    assert(pthread_getspecific(key) == 0);
    destroyed[(int *)value - values]++;
}

void end(void) { pthread_exit(0); }

void *returns(void *value) {
    pthread_setspecific(key, value);
    return 0;
}

void *ends(void *value) {
    pthread_setspecific(key, value);
#ifdef EXITS
    pthread_setspecific(key, 0);
#endif
    end();
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_key_create(&key, destroy);
    pthread_create(&first, 0, returns, &values[0]);
    pthread_create(&second, 0, ends, &values[1]);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(destroyed[0] == 1 && destroyed[1] == 1);
}
