// precise: SUCCESSFUL --threads 1
// Bit-fields write no byte of the member that stands in their word: it is another memory location.
#include <assert.h>
#include <pthread.h>

struct word { char tag; int small : 4; int large : 20; } word;

void *worker(void *argument)
{
    word.small = 1;
    word.large = 70000;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    word.tag = 'a';
    assert(word.tag == 'a');
    return 0;
}
