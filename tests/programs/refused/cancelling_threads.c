// covers: cancellation
// error: cancelling threads is not supported
#include <pthread.h>

int main(void)
{
    pthread_cancel(pthread_self());
    return 0;
}
