// precise: FAILED --threads 1
// The two bit-fields share a byte, which each reads and writes whole: an update is lost.
#include <assert.h>
#include <pthread.h>

struct word { char tag; int small : 4; int large : 20; } word;

void *worker(void *argument)
{
    word.large = 70000;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    word.small = 1;
    assert(word.small == 1);
    return 0;
}
