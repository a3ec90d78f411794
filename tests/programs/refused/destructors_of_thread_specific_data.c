// covers: thread-specific-data
// error: destructors of thread-specific data are not supported
#include <pthread.h>

void destroy(void *value)
{
}

int main(void)
{
    pthread_key_t key;
    return pthread_key_create(&key, destroy);
}
