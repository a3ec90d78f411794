// What thread-visible states do not exclude at first is refined, and proved by them then.
// RUN: sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --engine thread-modular; sapa check %s --passes 'inline,lower-sync,mem2reg,constant-propagation' --engine thread-modular --json
// check: any number of threads (by thread states), sequential consistency
// nextln: VERIFICATION SUCCESSFUL
// check: "decided_by":"thread states"
#include <assert.h>
#include <pthread.h>

int ready;
int value;

void *reader(void *argument)
{
    int seen = ready;
    if (seen)
        assert(value == 7);
    return 0;
}

int main(void)
{
    pthread_t thread;
    value = 7;
    ready = 1;
    while (1)
        pthread_create(&thread, 0, reader, 0);
}
