// covers: cancellation
// error: cleanup handlers of threads are not supported
#include <pthread.h>

void clean(void *argument)
{
}

int main(void)
{
    pthread_cleanup_push(clean, 0);
    pthread_cleanup_pop(0);
    return 0;
}
